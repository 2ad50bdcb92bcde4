import { reset } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import { askWith } from "./ask-with.ts";
import { PASSPHRASE, PUBLIC_URL } from "./secrets.ts";
import { Browser, destinationOf, handleOf } from "./sign-in/browser.ts";
import {
  authorizeUrl,
  callMcp,
  callStatus,
  exchangeCode,
  obtainCode,
  openConsent,
  REDIRECT_URI,
  refresh,
  registeredClientId,
  signIn,
} from "./sign-in/client.ts";

afterEach(() => reset());

describe("signing in", () => {
  test("discovery leads from /mcp to every endpoint", async () => {
    const challenge = (await callMcp({})).headers.get("WWW-Authenticate") ?? "";
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
    expect(metadataUrl).toBe(`${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp`);
    expect(challenge).toContain('scope="n8n:read"');

    const resource = await (await exports.default.fetch(metadataUrl)).json();
    expect(resource).toMatchObject({
      resource: `${PUBLIC_URL}/mcp`,
      authorization_servers: [PUBLIC_URL],
      scopes_supported: ["n8n:read"],
      bearer_methods_supported: ["header"],
    });

    const server = await exports.default.fetch(`${PUBLIC_URL}/.well-known/oauth-authorization-server`);
    expect(await server.json()).toMatchObject({
      issuer: PUBLIC_URL,
      authorization_endpoint: `${PUBLIC_URL}/authorize`,
      token_endpoint: `${PUBLIC_URL}/token`,
      registration_endpoint: `${PUBLIC_URL}/register`,
      scopes_supported: ["n8n:read", "n8n:data"],
      code_challenge_methods_supported: ["S256"],
    });
  });

  test("registration, consent, passphrase, code and token open /mcp", async () => {
    const clientId = await registeredClientId();
    const browser = new Browser();
    const page = await browser.open(authorizeUrl(clientId));
    expect(page.status).toBe(200);

    const handle = handleOf(await page.text());
    const answer = await browser.post({ handle, decision: "approve", passphrase: PASSPHRASE });
    expect(answer.status).toBe(200);
    const destination = destinationOf(answer);
    expect(destination.origin + destination.pathname).toBe(REDIRECT_URI);
    expect(destination.searchParams.get("state")).toBe("state-of-the-client");
    expect(destination.searchParams.get("iss")).toBe(PUBLIC_URL);

    const tokens = await exchangeCode(clientId, destination.searchParams.get("code") ?? "");
    expect(tokens.status).toBe(200);
    const { access_token: token, scope } = await tokens.json<{ access_token: string; scope: string }>();
    expect(scope).toBe("n8n:read");
    expect(await callStatus(token)).toBe(200);
  });

  test("a form sent without its button is decided by its passphrase", async () => {
    const clientId = await registeredClientId();
    const browser = new Browser();
    const handle = await openConsent(browser, clientId);
    const destination = destinationOf(await browser.post({ handle, passphrase: PASSPHRASE }));
    expect(destination.searchParams.has("code")).toBe(true);
  });

  test("a client that is no browser gets a plain redirect with the code", async () => {
    const clientId = await registeredClientId();
    const browser = new Browser();
    const handle = await openConsent(browser, clientId);
    const answer = await browser.post(
      { handle, decision: "approve", passphrase: PASSPHRASE },
      { "Sec-Fetch-Mode": "cors" },
    );
    expect(answer.status).toBe(302);
    expect(answer.headers.has("Refresh")).toBe(false);
    const code = new URL(answer.headers.get("Location") ?? "").searchParams.get("code") ?? "";
    expect((await exchangeCode(clientId, code)).status).toBe(200);
  });

  test("the data scope is granted when ticked, whatever the client requested", async () => {
    const clientId = await registeredClientId();
    const code = await obtainCode(new Browser(), clientId, { scope: "n8n:data" });
    expect(await (await exchangeCode(clientId, code)).json()).toMatchObject({ scope: "n8n:read n8n:data" });
  });

  test("an unknown scope is not granted", async () => {
    const clientId = await registeredClientId();
    const browser = new Browser();
    const handle = await openConsent(browser, clientId, { scope: "n8n:read n8n:write" });
    const answer = await browser.post({ handle, decision: "approve", passphrase: PASSPHRASE });
    const code = destinationOf(answer).searchParams.get("code") ?? "";
    expect(await (await exchangeCode(clientId, code)).json()).toMatchObject({ scope: "n8n:read" });
  });

  test("a refresh token gives another access token", async () => {
    const { clientId, tokens } = await signIn();
    const second = await refresh(clientId, tokens.refresh_token);
    const { access_token: token } = await second.json<{ access_token: string }>();
    expect(await callStatus(token)).toBe(200);
  });
});

describe("the consent page", () => {
  test("shows who requests access, where it goes and what for", async () => {
    const clientId = await registeredClientId({ client_name: "Claude" });
    const html = await (await new Browser().open(authorizeUrl(clientId))).text();
    expect(html).toContain("<bdi>Claude</bdi>");
    expect(html).toContain("client.example");
    expect(html).toContain("nobody has checked it");
    expect(html).toMatch(/It can read<\/dt><dd><strong>n8n\.example<\/strong>/);
    expect(html).not.toContain("Any program on this computer");
    expect(html).not.toContain("can make credentials");
    expect(html).not.toContain("texts of errors");
  });

  // Before n8n 2 its callback accepts the code from any browser, for whoever started the sign-in.
  test("warns when access goes to an n8n, which many people share", async () => {
    const callback = "https://n8n.example/rest/oauth2-credential/callback";
    const clientId = await registeredClientId({ client_name: "n8n", redirect_uris: [callback] });
    const page = await new Browser().open(authorizeUrl(clientId, { redirect_uri: callback }));
    const html = await page.text();
    expect(html).toMatch(/class="note warn"[\s\S]*Everybody who can make credentials in that n8n/);
    expect(html).toMatch(/Access goes to<\/dt><dd><strong>n8n\.example<\/strong>/);
  });

  test.each(["n8n:read", "n8n:data", "n8n:read n8n:data"])(
    "preselects nothing, whatever the client requests: %s",
    async (scope) => {
      const html = await (
        await new Browser().open(authorizeUrl(await registeredClientId(), { scope }))
      ).text();
      expect(html.match(/<input type="radio"[^>]*name="scope"[^>]*required/g)).toHaveLength(2);
      expect(html).not.toMatch(/<input[^>]*\schecked/);
    },
  );

  test("says when the operator shows error texts to every app", async () => {
    const url = authorizeUrl(await registeredClientId());
    const html = await (
      await askWith({ ERROR_TEXT: "read" }, url, { headers: { Accept: "text/html" } })
    ).text();
    expect(html).toContain("This server shows every app the texts of errors");
  });

  test.each(["approve", "organisation"])(
    "is shown again for a form without a choice (%s), which counts no try",
    async (decision) => {
      const clientId = await registeredClientId();
      const browser = new Browser();
      let handle = await openConsent(browser, clientId);
      for (const scope of ["", "n8n:write"]) {
        const again = await browser.post({ handle, decision, passphrase: "wrong", scope });
        expect(again.status).toBe(400);
        expect(again.headers.has("Refresh")).toBe(false);
        const html = await again.text();
        expect(html).toContain("Choose one of the two first.");
        handle = handleOf(html);
      }
      const wrong = await browser.post({ handle, decision: "approve", passphrase: "wrong" });
      expect(await wrong.text()).toContain("9 tries left");
    },
  );

  test("warns when access goes to a program on the user's computer", async () => {
    const uri = "http://127.0.0.1:33418/callback";
    const url = authorizeUrl(await registeredClientId({ redirect_uris: [uri] }), { redirect_uri: uri });
    expect(await (await new Browser().open(url)).text()).toContain("Any program on this computer");
  });

  test("escapes the client's name and removes invisible characters", async () => {
    const name = '</bdi><script>alert("x")</script>\u202Egnp.exe\u200B';
    const html = await (
      await new Browser().open(authorizeUrl(await registeredClientId({ client_name: name })))
    ).text();
    expect(html).not.toContain("<script");
    expect(html).toContain("&lt;script&gt;");
    expect(html).not.toMatch(/[\u202E\u200B]/);
  });

  test("cannot be framed or stored, runs no script, and loads only its icon", async () => {
    const response = await new Browser().open(authorizeUrl(await registeredClientId()));
    const policy = response.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).not.toContain("unsafe-inline");
    expect(response.headers.get("X-Frame-Options")).toBe("DENY");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    const html = await response.text();
    const loading = html.replace('<link rel="icon" href="/icon.svg" type="image/svg+xml"/>', "");
    expect(loading).not.toMatch(/<script|javascript:|\son\w+=|src=|<link/i);
  });
});

describe("a decision is refused", () => {
  const newConsent = async (browser: Browser) => await openConsent(browser, await registeredClientId());
  const approve = (handle: string) => ({ handle, decision: "approve", passphrase: PASSPHRASE });

  test("without the cookie", async () => {
    const browser = new Browser();
    const handle = await newConsent(browser);
    browser.forgetCookies();
    const answer = await browser.post(approve(handle));
    expect(answer.status).toBe(400);
    expect(answer.headers.has("Refresh")).toBe(false);
    expect(await answer.text()).toContain("not started in this browser");
  });

  test("with another browser's cookie", async () => {
    const handle = await newConsent(new Browser());
    const other = new Browser();
    await newConsent(other);
    const answer = await other.post(approve(handle));
    expect(answer.status).toBe(400);
    expect(answer.headers.has("Refresh")).toBe(false);
  });

  test("when it is replayed, even with a copy of the cookie", async () => {
    const browser = new Browser();
    const handle = await newConsent(browser);
    const keeper = browser.copy();
    expect((await browser.post(approve(handle))).status).toBe(200);
    for (const replaying of [browser, keeper]) {
      const answer = await replaying.post(approve(handle));
      expect(answer.status).toBe(400);
      expect(answer.headers.has("Refresh")).toBe(false);
    }
  });

  test("when a page of another origin posts it", async () => {
    const browser = new Browser();
    const handle = await newConsent(browser);
    const origins = [
      "https://evil.example",
      "null",
      "http://observer.example",
      "https://observer.example.evil.example",
    ];
    for (const origin of origins) {
      expect((await browser.post(approve(handle), { Origin: origin })).status).toBe(403);
    }
    expect((await browser.post(approve(handle))).status).toBe(200);
  });

  test("when it is neither yes nor no, or too large", async () => {
    const browser = new Browser();
    const handle = await newConsent(browser);
    const neither = { handle, passphrase: PASSPHRASE, decision: "perhaps" };
    expect((await browser.post(neither)).status).toBe(400);
    expect((await browser.post({ handle })).status).toBe(400);
    expect((await browser.post({ ...approve(handle), more: "x".repeat(20_000) })).status).toBe(413);
  });

  test("by the user, which the client is told without a code", async () => {
    const browser = new Browser();
    const handle = await newConsent(browser);
    const destination = destinationOf(await browser.post({ handle, decision: "deny" }));
    expect(destination.origin + destination.pathname).toBe(REDIRECT_URI);
    expect(Object.fromEntries(destination.searchParams)).toEqual({
      error: "access_denied",
      state: "state-of-the-client",
      iss: PUBLIC_URL,
    });
    expect((await browser.post(approve(handle))).status).toBe(400);
  });
});

describe("an authorization request is refused", () => {
  test.each([
    ["without PKCE", { code_challenge: undefined, code_challenge_method: undefined }],
    ["with plain PKCE", { code_challenge_method: "plain" }],
    ["with PKCE of no method", { code_challenge_method: undefined }],
    ["for another response type", { response_type: "token" }],
    ["for a foreign resource", { resource: "https://other.example/mcp" }],
  ])("%s, and the client is told", async (_, changes) => {
    const response = await new Browser().open(authorizeUrl(await registeredClientId(), changes));
    expect(response.status).toBe(302);
    const location = new URL(response.headers.get("Location") ?? "");
    expect(location.origin + location.pathname).toBe(REDIRECT_URI);
    expect(location.searchParams.get("error")).not.toBeNull();
    expect(location.searchParams.has("code")).toBe(false);
  });

  test("without PKCE from a confidential client too", async () => {
    const clientId = await registeredClientId({ token_endpoint_auth_method: "client_secret_basic" });
    const url = authorizeUrl(clientId, { code_challenge: undefined, code_challenge_method: undefined });
    const location = (await new Browser().open(url)).headers.get("Location") ?? "";
    expect(new URL(location).searchParams.get("error")).toBe("invalid_request");
  });

  test("for an unregistered client", async () => {
    const response = await new Browser().open(authorizeUrl("no-such-client"));
    expect(response.status).toBe(400);
    expect(response.headers.has("Location")).toBe(false);
  });

  test("when it is too long", async () => {
    const url = authorizeUrl(await registeredClientId(), { state: "x".repeat(10_000) });
    expect((await new Browser().open(url)).status).toBe(414);
  });
});

test("a token that is none of ours is refused", async () => {
  for (const token of ["nonsense", "owner:a:b", "", "x".repeat(10_000)]) {
    const response = await callMcp({ Authorization: `Bearer ${token}` });
    expect(response.status).toBe(401);
    expect(response.headers.get("WWW-Authenticate")).toContain("resource_metadata=");
  }
});
