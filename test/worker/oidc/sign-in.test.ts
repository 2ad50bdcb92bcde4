/** Sign-in at a real OpenID provider, from the client's first request to what a tool is told. */
import { evictDurableObject, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createRoleCache } from "../../../src/sign-in/oauth-roles.ts";
import { PASSPHRASE, PUBLIC_URL } from "../secrets.ts";
import { Browser, destinationOf } from "../sign-in/browser.ts";
import { authorizeUrl, exchangeCode, REDIRECT_URI, registeredClientId } from "../sign-in/client.ts";
import {
  callDataTool,
  consentToProvider,
  Deployment,
  refresh,
  settingsFor,
  signInAs,
  type Tokens,
  tokensOf,
} from "./deployment.ts";

const REAL = settingsFor("realProvider");

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

describe("the whole flow", () => {
  test("consent, provider, callback, code, token: a tool is told an opaque id and no name", async () => {
    const deployment = new Deployment(REAL);
    const { access_token: token, scope } = await tokensOf(deployment, "ada");
    expect(scope).toBe("n8n:read");
    expect(await deployment.whoIs(token)).toEqual({
      props: {
        userId: expect.stringMatching(/^oidc-[\w-]{43}$/),
        via: "oidc",
        access: { kind: "all" },
        cannotStepUp: true,
      },
      scope: ["n8n:read"],
    });
    expect(token).not.toMatch(/ada|example/i);
  });

  test("the client gets its state, our issuer and a code", async () => {
    const { answer } = await signInAs(new Deployment(REAL), "ada");
    const destination = destinationOf(answer);
    expect(destination.origin + destination.pathname).toBe(REDIRECT_URI);
    expect(destination.searchParams.get("state")).toBe("state-of-the-client");
    expect(destination.searchParams.get("iss")).toBe(PUBLIC_URL);
    expect(destination.searchParams.has("code")).toBe(true);
  });

  test("the same person is the same from another client, and after the server has moved", async () => {
    const deployment = new Deployment(REAL);
    const first = await deployment.whoIs((await tokensOf(deployment, "ada")).access_token);
    await evictDurableObject(env.USER_IDS.getByName("user-ids"));
    const second = await deployment.whoIs((await tokensOf(deployment, "ada")).access_token);
    const other = await deployment.whoIs((await tokensOf(deployment, "grace")).access_token);
    expect(second).toEqual(first);
    expect(other).not.toEqual(first);
  });

  test("what an ID token leaves out, UserInfo tells", async () => {
    const deployment = new Deployment({
      ...settingsFor("thinProvider"),
      OIDC_SCOPES: "openid email groups",
      ALLOWED_EMAIL_DOMAINS: "",
      ALLOWED_EMAILS: "ada@example.com",
      DATA_GROUPS: "engineering",
    });
    const { scope } = await tokensOf(deployment, "ada", { scope: "n8n:data" });
    expect(scope).toBe("n8n:read n8n:data");
    const { answer } = await signInAs(deployment, "unverified");
    expect(answer.status).toBe(403);
  });

  test("the log says what happened and to whom, but names nobody", async () => {
    const lines: string[] = [];
    for (const method of ["log", "warn", "error"] as const) {
      vi.spyOn(console, method).mockImplementation((line: string) => lines.push(line));
    }
    const deployment = new Deployment(REAL);
    const { access_token: token } = await tokensOf(deployment, "ada");
    await signInAs(deployment, "mallory");
    await signInAs(deployment, "unverified");
    const events = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      // A line of the test before may be told here that storage was reset under it.
      .filter(({ event }) => event !== "audit_not_kept" && event !== "object_interrupted");
    expect(events).toEqual([
      expect.objectContaining({ event: "sign_in", outcome: "signed_in", via: "oidc" }),
      expect.objectContaining({ event: "sign_in", outcome: "token_issued", via: "oidc" }),
      expect.objectContaining({ event: "sign_in", outcome: "refused", reason: "not_allowed" }),
      expect.objectContaining({ event: "sign_in", outcome: "refused", reason: "email_not_verified" }),
    ]);
    for (const { userId } of events) expect(userId).toMatch(/^oidc-/);
    expect(lines.join()).not.toMatch(/example\.com|\bada\b|mallory|code=|secret/i);
    expect(lines.join()).not.toContain(token);
  });
});

describe("consent comes first", () => {
  test("the consent page names where to sign in, and nothing leads there before it is answered", async () => {
    const deployment = new Deployment(REAL);
    const clientId = await registeredClientId({}, deployment.send);
    const page = await new Browser(deployment.send).open(authorizeUrl(clientId));
    expect(page.status).toBe(200);
    expect(page.headers.has("Refresh")).toBe(false);
    expect(page.headers.getSetCookie().join()).not.toContain("upstream");
    const html = await page.text();
    expect(html).toContain(`Continue with ${new URL(REAL.OIDC_ISSUER ?? "").host}`);
    expect(html).not.toContain('name="passphrase"');
  });

  test("the provider is asked with PKCE, a nonce and a state, each new each time", async () => {
    const deployment = new Deployment(REAL);
    const asked = async (): Promise<URL> =>
      destinationOf((await consentToProvider(deployment, new Browser(deployment.send))).answer);
    const [one, two] = [await asked(), await asked()];
    expect(one.searchParams.get("code_challenge_method")).toBe("S256");
    expect(one.searchParams.get("redirect_uri")).toBe(`${PUBLIC_URL}/callback`);
    expect(one.searchParams.get("response_type")).toBe("code");
    for (const name of ["code_challenge", "nonce", "state"]) {
      expect(one.searchParams.get(name)?.length).toBeGreaterThan(20);
      expect(one.searchParams.get(name)).not.toBe(two.searchParams.get(name));
    }
  });

  test.each([
    ["without the cookie", (browser: Browser) => browser.forgetCookies(), 400],
    ["from another origin", () => undefined, 403],
  ])("a form %s leads nowhere", async (how, spoil, status) => {
    const deployment = new Deployment(REAL);
    const browser = new Browser(deployment.send);
    const clientId = await registeredClientId({}, deployment.send);
    const html = await (await browser.open(authorizeUrl(clientId))).text();
    const handle = /name="handle" value="([^"]+)"/.exec(html)?.[1] ?? "";
    spoil(browser);
    const headers = how === "from another origin" ? { Origin: "https://evil.example" } : undefined;
    const answer = await browser.post({ handle, decision: "organisation" }, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers.has("Refresh")).toBe(false);
    expect(answer.headers.has("Location")).toBe(false);
  });

  test("a form that was used leads nowhere", async () => {
    const deployment = new Deployment(REAL);
    const browser = new Browser(deployment.send);
    const clientId = await registeredClientId({}, deployment.send);
    const html = await (await browser.open(authorizeUrl(clientId))).text();
    const handle = /name="handle" value="([^"]+)"/.exec(html)?.[1] ?? "";
    const keeper = browser.copy();
    expect((await browser.post({ handle, decision: "organisation" })).status).toBe(200);
    for (const each of [browser, keeper]) {
      const answer = await each.post({ handle, decision: "organisation" });
      expect(answer.status).toBe(400);
      expect(answer.headers.has("Refresh")).toBe(false);
    }
  });

  test("who declines at the provider has declined: the client is told", async () => {
    const { answer } = await signInAs(new Deployment(REAL), "");
    const destination = destinationOf(answer);
    expect(destination.origin + destination.pathname).toBe(REDIRECT_URI);
    expect(destination.searchParams.get("error")).toBe("access_denied");
    expect(destination.searchParams.has("code")).toBe(false);
  });
});

describe("ways in", () => {
  test("with both, either works, and Enter in the passphrase means the passphrase", async () => {
    const deployment = new Deployment({ ...REAL, ACCESS_PASSPHRASE: PASSPHRASE });
    const browser = new Browser(deployment.send);
    const clientId = await registeredClientId({}, deployment.send);
    const html = await (await browser.open(authorizeUrl(clientId))).text();
    expect(html.indexOf('value="approve"')).toBeLessThan(html.indexOf('value="organisation"'));
    const { answer } = await consentToProvider(deployment, browser, {
      decision: "approve",
      passphrase: PASSPHRASE,
    });
    expect(destinationOf(answer).searchParams.has("code")).toBe(true);
    expect((await tokensOf(deployment, "ada")).scope).toBe("n8n:read");
  });

  test("with the provider alone no passphrase is taken, not even an empty one", async () => {
    const deployment = new Deployment(REAL);
    for (const passphrase of ["", PASSPHRASE]) {
      const { answer } = await consentToProvider(deployment, new Browser(deployment.send), {
        decision: "approve",
        passphrase,
      });
      expect(answer.status).toBe(400);
      expect(answer.headers.has("Refresh")).toBe(false);
    }
  });

  test("with the passphrase alone nobody is sent to a provider", async () => {
    const deployment = new Deployment({ ACCESS_PASSPHRASE: PASSPHRASE });
    const { answer } = await consentToProvider(deployment, new Browser(deployment.send));
    expect(answer.status).toBe(503);
    expect((await deployment.send(new Request(`${PUBLIC_URL}/callback?code=a&state=b`))).status).toBe(503);
  });

  test("with neither, nobody gets in, and the page says what to set", async () => {
    const deployment = new Deployment({});
    const response = await new Browser(deployment.send).open(authorizeUrl("any"));
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("neither a passphrase nor an OpenID provider");
  });

  test("half a provider is none: every address says what is missing", async () => {
    const deployment = new Deployment({ ...REAL, OIDC_CLIENT_SECRET: "", ACCESS_PASSPHRASE: PASSPHRASE });
    for (const path of ["/authorize", "/callback", "/mcp", "/token"]) {
      const response = await deployment.send(new Request(PUBLIC_URL + path));
      expect(response.status).toBe(503);
      expect(await response.text()).toContain("OIDC_CLIENT_SECRET");
    }
  });
});

describe("who may", () => {
  test.each([
    ["nobody is listed", {}],
    ["another domain is listed", { ALLOWED_EMAIL_DOMAINS: "example.org" }],
    ["another group is listed", { ALLOWED_GROUPS: "Engineering" }],
    ["only payload lists name them", { DATA_EMAILS: "ada@example.com", DATA_GROUPS: "engineering" }],
  ])("nobody enters when %s", async (_, lists) => {
    const settings = { ...REAL, OIDC_SCOPES: "openid email groups", ALLOWED_EMAIL_DOMAINS: "", ...lists };
    const { answer } = await signInAs(new Deployment(settings), "ada");
    expect(answer.status).toBe(403);
    expect(answer.headers.has("Refresh")).toBe(false);
    expect(await answer.text()).toContain("Ask whoever runs this server");
  });

  test("a group lets in, if its scope was asked for", async () => {
    const lists = { ALLOWED_EMAIL_DOMAINS: "", ALLOWED_GROUPS: "engineering" };
    const withGroups = new Deployment({ ...REAL, ...lists, OIDC_SCOPES: "openid email groups" });
    expect((await tokensOf(withGroups, "ada")).scope).toBe("n8n:read");
    expect((await signInAs(withGroups, "grace")).answer.status).toBe(403);
    const without = new Deployment({ ...REAL, ...lists });
    expect((await signInAs(without, "ada")).answer.status).toBe(403);
  });

  test("payloads are for those who are named, and only when ticked", async () => {
    const deployment = new Deployment({ ...REAL, DATA_EMAILS: "ada@example.com" });
    expect((await tokensOf(deployment, "ada", { scope: "n8n:data" })).scope).toBe("n8n:read n8n:data");
    expect((await tokensOf(deployment, "ada")).scope).toBe("n8n:read");
    expect((await tokensOf(deployment, "grace", { scope: "n8n:data" })).scope).toBe("n8n:read");
  });
});

describe("who lacks the scope for payloads", () => {
  test("is asked to step up, if that can bring it", async () => {
    const deployment = new Deployment({ ...REAL, DATA_EMAILS: "ada@example.com" });
    const { access_token: token } = await tokensOf(deployment, "ada");
    const answer = await callDataTool(deployment, token);
    expect(answer.status).toBe(403);
    const challenge = answer.headers.get("WWW-Authenticate");
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="n8n:read n8n:data"');
  });

  test("is told in words, if they may not have it: to sign in again would end where it began", async () => {
    const deployment = new Deployment(REAL);
    const { access_token: token } = await tokensOf(deployment, "ada", { scope: "n8n:data" });
    const answer = await callDataTool(deployment, token);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toContain("INSUFFICIENT_SCOPE");
    expect(text).toContain("DATA_EMAILS");
  });
});

describe("who stays away", () => {
  test.each([
    ["a day", {}, 24],
    ["as long as is set", { OIDC_SESSION_HOURS: "8" }, 8],
  ])("has to sign in again after %s, however often they refresh", async (_, settings, hours) => {
    const deployment = new Deployment({ ...REAL, ...settings });
    const oauth = createRoleCache(async () => new Response())(PUBLIC_URL).authorizationServer.getOAuthApi(
      env,
    );
    const ada = await tokensOf(deployment, "ada");
    const [userId = ""] = ada.access_token.split(":");
    const lasts = async (): Promise<number> => {
      const [grant] = (await oauth.listUserGrants(userId)).items;
      return (grant?.expiresAt ?? 0) - (grant?.createdAt ?? 0);
    };
    expect(await lasts()).toBeCloseTo(hours * 3600, -1);
    expect((await refresh(deployment, ada)).status).toBe(200);
    expect(await lasts()).toBeCloseTo(hours * 3600, -1);
  });
});

describe("who is taken off", () => {
  const takenOff = { ALLOWED_EMAIL_DOMAINS: "", ALLOWED_EMAILS: "grace@example.com" };

  test("is refused at the next request, and the others are not", async () => {
    const deployment = new Deployment(REAL);
    const ada = await tokensOf(deployment, "ada");
    const grace = await tokensOf(deployment, "grace");
    expect(await deployment.whoIs(ada.access_token)).toMatchObject({ scope: ["n8n:read"] });
    deployment.settings = { ...deployment.settings, ...takenOff };
    expect(await deployment.whoIs(ada.access_token)).toBe(401);
    expect(await deployment.whoIs(grace.access_token)).toMatchObject({ scope: ["n8n:read"] });
  });

  test("cannot refresh, and the grant is gone: putting them on again does not bring it back", async () => {
    const deployment = new Deployment(REAL);
    const ada = await tokensOf(deployment, "ada");
    const before = deployment.settings;
    deployment.settings = { ...before, ...takenOff };
    const refused = await refresh(deployment, ada);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: "invalid_grant" });
    deployment.settings = before;
    expect((await refresh(deployment, ada)).status).toBe(400);
    expect(await deployment.whoIs(ada.access_token)).toBe(401);
  });

  test("cannot exchange a code that was issued before", async () => {
    const deployment = new Deployment(REAL);
    const { clientId, answer } = await signInAs(deployment, "ada");
    const code = destinationOf(answer).searchParams.get("code") ?? "";
    deployment.settings = { ...deployment.settings, ...takenOff };

    const response = await exchangeCode(clientId, code, {}, deployment.send);
    expect(await response.json()).toMatchObject({ error: "invalid_grant" });
  });

  test("from the payload lists loses payloads at the next request, and stays in", async () => {
    const deployment = new Deployment({ ...REAL, DATA_EMAILS: "ada@example.com" });
    const ada = await tokensOf(deployment, "ada", { scope: "n8n:data" });
    expect(await deployment.whoIs(ada.access_token)).toEqual({
      props: { userId: expect.any(String), via: "oidc", access: { kind: "all" } },
      scope: ["n8n:read", "n8n:data"],
    });
    deployment.settings = { ...deployment.settings, DATA_EMAILS: "" };
    expect(await deployment.whoIs(ada.access_token)).toEqual({
      props: { userId: expect.any(String), via: "oidc", access: { kind: "all" }, cannotStepUp: true },
      scope: ["n8n:read"],
    });
    const refreshed = await (await refresh(deployment, ada)).json<Tokens>();
    expect(refreshed.scope).toBe("n8n:read");
  });

  test.each([
    ["the provider is taken out", { OIDC_ISSUER: "", OIDC_CLIENT_ID: "", OIDC_CLIENT_SECRET: "" }],
    ["the provider is another one", settingsFor("thinProvider")],
  ])("is everyone, when %s", async (_, change) => {
    const deployment = new Deployment({ ...REAL, ACCESS_PASSPHRASE: PASSPHRASE });
    const ada = await tokensOf(deployment, "ada");
    deployment.settings = { ...deployment.settings, ...change };
    expect(await deployment.whoIs(ada.access_token)).toBe(401);
    expect((await refresh(deployment, ada)).status).toBe(400);
  });

  test("is the owner, when the passphrase is taken out", async () => {
    const deployment = new Deployment({ ...REAL, ACCESS_PASSPHRASE: PASSPHRASE });
    const browser = new Browser(deployment.send);
    const { clientId, answer } = await consentToProvider(deployment, browser, {
      decision: "approve",
      passphrase: PASSPHRASE,
    });

    const code = destinationOf(answer).searchParams.get("code") ?? "";
    const tokens = await (await exchangeCode(clientId, code, {}, deployment.send)).json<Tokens>();
    expect(await deployment.whoIs(tokens.access_token)).toMatchObject({ props: { userId: "owner" } });
    deployment.settings = { ...deployment.settings, ACCESS_PASSPHRASE: "" };
    expect(await deployment.whoIs(tokens.access_token)).toBe(401);
    expect((await refresh(deployment, { clientId, ...tokens })).status).toBe(400);
  });
});
