import { reset } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import { askWith } from "./ask-with.ts";
import { PASSPHRASE, PUBLIC_URL } from "./secrets.ts";
import { Browser, destinationOf, handleOf } from "./sign-in/browser.ts";
import {
  authorizeUrl,
  callMcp,
  exchangeCode,
  obtainAccessToken,
  obtainCode,
  REDIRECT_URI,
  refresh,
  registeredClientId,
} from "./sign-in/client.ts";

afterEach(() => reset());

describe("the whole flow", () => {
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
    expect((await callMcp({ Authorization: `Bearer ${token}` })).status).toBe(200);
  });

  test("a form that is sent without its button has decided by its passphrase", async () => {
    const clientId = await registeredClientId();
    const browser = new Browser();
    const handle = handleOf(await (await browser.open(authorizeUrl(clientId))).text());
    const destination = destinationOf(await browser.post({ handle, passphrase: PASSPHRASE }));
    expect(destination.searchParams.has("code")).toBe(true);
  });

  test("what is no browser gets a plain redirect, with the same code", async () => {
    const clientId = await registeredClientId();
    const browser = new Browser();
    const handle = handleOf(await (await browser.open(authorizeUrl(clientId))).text());
    const answer = await browser.post(
      { handle, decision: "approve", passphrase: PASSPHRASE },
      { "Sec-Fetch-Mode": "cors" },
    );
    expect(answer.status).toBe(302);
    expect(answer.headers.has("Refresh")).toBe(false);
    const code = new URL(answer.headers.get("Location") ?? "").searchParams.get("code") ?? "";
    expect((await exchangeCode(clientId, code)).status).toBe(200);
  });

  test("the data scope is granted when it is ticked, whatever the client asked for", async () => {
    const clientId = await registeredClientId();
    const code = await obtainCode(new Browser(), clientId, { scope: "n8n:data" });
    expect(await (await exchangeCode(clientId, code)).json()).toMatchObject({ scope: "n8n:read n8n:data" });
  });

  test("a scope that does not exist is not granted", async () => {
    const clientId = await registeredClientId();
    const browser = new Browser();
    const page = await browser.open(authorizeUrl(clientId, { scope: "n8n:read n8n:write" }));
    const handle = handleOf(await page.text());
    const answer = await browser.post({ handle, decision: "approve", passphrase: PASSPHRASE });
    const code = destinationOf(answer).searchParams.get("code") ?? "";
    expect(await (await exchangeCode(clientId, code)).json()).toMatchObject({ scope: "n8n:read" });
  });

  test("a refresh token goes on", async () => {
    const clientId = await registeredClientId();
    const first = await exchangeCode(clientId, await obtainCode(new Browser(), clientId));
    const { refresh_token: refreshToken } = await first.json<{ refresh_token: string }>();
    const second = await refresh(clientId, refreshToken);
    const { access_token: token } = await second.json<{ access_token: string }>();
    expect((await callMcp({ Authorization: `Bearer ${token}` })).status).toBe(200);
  });
});

describe("the consent page", () => {
  test("shows who asks, where access goes and what for", async () => {
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

  // Before n8n 2 its callback takes the code from whichever browser brings it, for whoever began.
  test("warns where access goes to an n8n, which many people share", async () => {
    const callback = "https://n8n.example/rest/oauth2-credential/callback";
    const clientId = await registeredClientId({ client_name: "n8n", redirect_uris: [callback] });
    const page = await new Browser().open(authorizeUrl(clientId, { redirect_uri: callback }));
    const html = await page.text();
    expect(html).toMatch(/class="note warn"[\s\S]*Everybody who can make credentials in that n8n/);
    expect(html).toMatch(/Access goes to<\/dt><dd><strong>n8n\.example<\/strong>/);
  });

  test.each(["n8n:read", "n8n:data", "n8n:read n8n:data"])(
    "presets no choice, whatever the client asks for: %s",
    async (scope) => {
      const html = await (
        await new Browser().open(authorizeUrl(await registeredClientId(), { scope }))
      ).text();
      expect(html.match(/<input type="radio"[^>]*name="scope"[^>]*required/g)).toHaveLength(2);
      expect(html).not.toMatch(/<input[^>]*\schecked/);
    },
  );

  test("says so where the operator shows errors' texts to every app", async () => {
    const url = authorizeUrl(await registeredClientId());
    const html = await (
      await askWith({ ERROR_TEXT: "read" }, url, { headers: { Accept: "text/html" } })
    ).text();
    expect(html).toContain("This server shows every app the texts of errors");
  });

  test.each(["approve", "organisation"])(
    "a form without a choice (%s) comes again, and costs no try",
    async (decision) => {
      const clientId = await registeredClientId();
      const browser = new Browser();
      let handle = handleOf(await (await browser.open(authorizeUrl(clientId))).text());
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

  test("escapes the client's name and takes out what is invisible", async () => {
    const name = '</bdi><script>alert("x")</script>\u202Egnp.exe\u200B';
    const html = await (
      await new Browser().open(authorizeUrl(await registeredClientId({ client_name: name })))
    ).text();
    expect(html).not.toContain("<script");
    expect(html).toContain("&lt;script&gt;");
    expect(html).not.toMatch(/[\u202E\u200B]/);
  });

  test("cannot be framed, runs no script, loads nothing but its icon and is not stored", async () => {
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

describe("the decision is refused", () => {
  async function openConsent(browser: Browser): Promise<{ clientId: string; handle: string }> {
    const clientId = await registeredClientId();
    const page = await browser.open(authorizeUrl(clientId));
    return { clientId, handle: handleOf(await page.text()) };
  }

  const approve = (handle: string) => ({ handle, decision: "approve", passphrase: PASSPHRASE });

  test("without the cookie", async () => {
    const browser = new Browser();
    const { handle } = await openConsent(browser);
    browser.forgetCookies();
    const answer = await browser.post(approve(handle));
    expect(answer.status).toBe(400);
    expect(answer.headers.has("Refresh")).toBe(false);
    expect(await answer.text()).toContain("not started in this browser");
  });

  test("with another browser's cookie", async () => {
    const { handle } = await openConsent(new Browser());
    const other = new Browser();
    await openConsent(other);
    const answer = await other.post(approve(handle));
    expect(answer.status).toBe(400);
    expect(answer.headers.has("Refresh")).toBe(false);
  });

  test("when it is replayed, even by someone who kept the cookie", async () => {
    const browser = new Browser();
    const { handle } = await openConsent(browser);
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
    const { handle } = await openConsent(browser);
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

  test("when it is neither yes nor no, or far too large", async () => {
    const browser = new Browser();
    const { handle } = await openConsent(browser);
    const neither = { handle, passphrase: PASSPHRASE, decision: "perhaps" };
    expect((await browser.post(neither)).status).toBe(400);
    expect((await browser.post({ handle })).status).toBe(400);
    expect((await browser.post({ ...approve(handle), more: "x".repeat(20_000) })).status).toBe(413);
  });

  test("by the user: the client is told, and no code is issued", async () => {
    const browser = new Browser();
    const { handle } = await openConsent(browser);
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

describe("the authorization request is refused", () => {
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

  test("without PKCE, from a confidential client too", async () => {
    const clientId = await registeredClientId({ token_endpoint_auth_method: "client_secret_basic" });
    const url = authorizeUrl(clientId, { code_challenge: undefined, code_challenge_method: undefined });
    const location = (await new Browser().open(url)).headers.get("Location") ?? "";
    expect(new URL(location).searchParams.get("error")).toBe("invalid_request");
  });

  test("for a client that is not registered", async () => {
    const response = await new Browser().open(authorizeUrl("no-such-client"));
    expect(response.status).toBe(400);
    expect(response.headers.has("Location")).toBe(false);
  });

  test("when it is far too long", async () => {
    const url = authorizeUrl(await registeredClientId(), { state: "x".repeat(10_000) });
    expect((await new Browser().open(url)).status).toBe(414);
  });
});

describe("the code is refused", () => {
  test("the second time, and the tokens of the first go with it", async () => {
    const clientId = await registeredClientId();
    const code = await obtainCode(new Browser(), clientId);
    const first = await exchangeCode(clientId, code);
    const { access_token: token } = await first.json<{ access_token: string }>();
    const second = await exchangeCode(clientId, code);
    expect(second.status).toBe(400);
    expect(await second.json()).toMatchObject({ error: "invalid_grant" });
    expect((await callMcp({ Authorization: `Bearer ${token}` })).status).toBe(401);
  });

  test.each([
    ["with another verifier", { code_verifier: "another-verifier-of-at-least-forty-three-characters" }],
    ["without a verifier", { code_verifier: "" }],
    ["for another redirect URI", { redirect_uri: "https://client.example/other" }],
  ])("%s", async (_, changes) => {
    const clientId = await registeredClientId();
    const response = await exchangeCode(clientId, await obtainCode(new Browser(), clientId), changes);
    expect(response.status).toBeGreaterThanOrEqual(400);
  });

  test("from another client", async () => {
    const code = await obtainCode(new Browser(), await registeredClientId());
    expect((await exchangeCode(await registeredClientId(), code)).status).toBe(400);
  });
});

describe("a token is refused", () => {
  test("in the query, even when it is a good one", async () => {
    const token = await obtainAccessToken(new Browser());
    expect((await callMcp({}, `/mcp?access_token=${encodeURIComponent(token)}`)).status).toBe(401);
  });

  test("when it is none of ours", async () => {
    for (const token of ["nonsense", "owner:a:b", "", "x".repeat(10_000)]) {
      const response = await callMcp({ Authorization: `Bearer ${token}` });
      expect(response.status).toBe(401);
      expect(response.headers.get("WWW-Authenticate")).toContain("resource_metadata=");
    }
  });
});
