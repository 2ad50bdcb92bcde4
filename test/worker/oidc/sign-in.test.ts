/** Sign-in at a real OpenID provider, from the client's first request to what a tool sees. */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { createRoleCache } from "../../../src/sign-in/oauth-roles.ts";
import { resetAfterEach } from "../reset.ts";
import { PASSPHRASE, PUBLIC_URL } from "../secrets.ts";
import { Browser, destinationOf } from "../sign-in/browser.ts";
import {
  authorizeUrl,
  exchangeCode,
  openConsent,
  REDIRECT_URI,
  registeredClientId,
  type Tokens,
} from "../sign-in/client.ts";
import {
  callDataTool,
  consentToProvider,
  Deployment,
  refresh,
  settingsFor,
  signInAs,
  signInAtProvider,
  tokensOf,
} from "./deployment.ts";

const REAL = settingsFor("realProvider");

resetAfterEach();

describe("the whole flow", () => {
  test("consent, provider, callback, code and token give a tool an opaque id and no name", async () => {
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

  test("a user keeps their id with another client and after a restart", async () => {
    const deployment = new Deployment(REAL);
    const first = await deployment.whoIs((await tokensOf(deployment, "ada")).access_token);
    await evictDurableObject(env.USER_IDS.getByName("user-ids"));
    const second = await deployment.whoIs((await tokensOf(deployment, "ada")).access_token);
    const other = await deployment.whoIs((await tokensOf(deployment, "grace")).access_token);
    expect(second).toEqual(first);
    expect(other).not.toEqual(first);
  });

  test("claims missing in the ID token are read from UserInfo", async () => {
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

  test("the log records each event with an id, but no names", async () => {
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
      // A line of the previous test may report that its storage was reset.
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
  test("the consent page names the provider, and nothing leads there before consent", async () => {
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

  test("the provider is asked with a new PKCE challenge, nonce and state each time", async () => {
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
    const handle = await openConsent(browser, clientId);
    spoil(browser);
    const headers = how === "from another origin" ? { Origin: "https://evil.example" } : undefined;
    const answer = await browser.post({ handle, decision: "organisation" }, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers.has("Refresh")).toBe(false);
    expect(answer.headers.has("Location")).toBe(false);
  });

  test("a used form leads nowhere", async () => {
    const deployment = new Deployment(REAL);
    const browser = new Browser(deployment.send);
    const clientId = await registeredClientId({}, deployment.send);
    const handle = await openConsent(browser, clientId);
    const keeper = browser.copy();
    expect((await browser.post({ handle, decision: "organisation" })).status).toBe(200);
    for (const each of [browser, keeper]) {
      const answer = await each.post({ handle, decision: "organisation" });
      expect(answer.status).toBe(400);
      expect(answer.headers.has("Refresh")).toBe(false);
    }
  });

  test("declining at the provider is reported to the client", async () => {
    const { answer } = await signInAs(new Deployment(REAL), "");
    const destination = destinationOf(answer);
    expect(destination.origin + destination.pathname).toBe(REDIRECT_URI);
    expect(destination.searchParams.get("error")).toBe("access_denied");
    expect(destination.searchParams.has("code")).toBe(false);
  });

  test.each(["invalid_scope", "server_error", "temporarily_unavailable"])(
    "the provider's %s is its fault, and no decision of the person",
    async (error) => {
      const log = vi.spyOn(console, "log").mockImplementation(() => {});
      const deployment = new Deployment(REAL);
      const browser = new Browser(deployment.send);
      const { answer } = await consentToProvider(deployment, browser);
      const state = destinationOf(answer).searchParams.get("state") ?? "";
      const parameters = new URLSearchParams({ error, state, iss: REAL.OIDC_ISSUER ?? "" });
      const back = await browser.open(`${PUBLIC_URL}/callback?${parameters}`);
      expect(back.status).toBe(502);
      const page = await back.text();
      expect(page).not.toContain("declined");
      expect(page).toContain("refused this sign-in");
      expect(log.mock.calls.join()).toContain(`"outcome":"refused"`);
      expect(log.mock.calls.join()).toContain(`"reason":"provider_${error}"`);
    },
  );
});

test("a person's new sign-in with a registered app ends their previous one there, and nobody else's", async () => {
  const deployment = new Deployment(REAL);
  const clientId = await registeredClientId({}, deployment.send);
  const signInWith = async (login: string) => {
    const browser = new Browser(deployment.send);
    const handle = await openConsent(browser, clientId);
    const toProvider = await browser.post({ handle, decision: "organisation", scope: "n8n:read" });
    const answer = await browser.open(await signInAtProvider(destinationOf(toProvider), login));
    const code = destinationOf(answer).searchParams.get("code") ?? "";
    return await (await exchangeCode(clientId, code, {}, deployment.send)).json<Tokens>();
  };
  const [ada, grace] = [await signInWith("ada"), await signInWith("grace")];
  await signInWith("ada");
  const statusOf = async (tokens: Tokens) => (await refresh(deployment, { clientId, ...tokens })).status;
  expect([await statusOf(ada), await statusOf(grace)]).toEqual([400, 200]);
});

describe("ways to sign in", () => {
  test("with both, either works, and Enter in the passphrase field means the passphrase", async () => {
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

  test("with only the provider no passphrase is accepted, not even an empty one", async () => {
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

  test("with only the passphrase nobody is sent to a provider", async () => {
    const deployment = new Deployment({ ACCESS_PASSPHRASE: PASSPHRASE });
    const { answer } = await consentToProvider(deployment, new Browser(deployment.send));
    expect(answer.status).toBe(503);
    expect((await deployment.send(new Request(`${PUBLIC_URL}/callback?code=a&state=b`))).status).toBe(503);
  });

  test("with neither nobody is admitted, and the page says what to set", async () => {
    const deployment = new Deployment({});
    const response = await new Browser(deployment.send).open(authorizeUrl("any"));
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("neither a passphrase nor an OpenID provider");
  });

  test("an incomplete provider stops every endpoint, which says what is missing", async () => {
    const deployment = new Deployment({ ...REAL, OIDC_CLIENT_SECRET: "", ACCESS_PASSPHRASE: PASSPHRASE });
    for (const path of ["/authorize", "/callback", "/mcp", "/token"]) {
      const response = await deployment.send(new Request(PUBLIC_URL + path));
      expect(response.status).toBe(503);
      expect(await response.text()).toContain("OIDC_CLIENT_SECRET");
    }
  });
});

describe("access lists", () => {
  test.each([
    ["nobody is listed", {}],
    ["another domain is listed", { ALLOWED_EMAIL_DOMAINS: "example.org" }],
    ["another group is listed", { ALLOWED_GROUPS: "Engineering" }],
    ["only payload lists name them", { DATA_EMAILS: "ada@example.com", DATA_GROUPS: "engineering" }],
  ])("nobody is admitted when %s", async (_, lists) => {
    const settings = { ...REAL, OIDC_SCOPES: "openid email groups", ALLOWED_EMAIL_DOMAINS: "", ...lists };
    const { answer } = await signInAs(new Deployment(settings), "ada");
    expect(answer.status).toBe(403);
    expect(answer.headers.has("Refresh")).toBe(false);
    expect(await answer.text()).toContain("Ask whoever runs this server");
  });

  test("a group admits its members if its scope is requested", async () => {
    const lists = { ALLOWED_EMAIL_DOMAINS: "", ALLOWED_GROUPS: "engineering" };
    const withGroups = new Deployment({ ...REAL, ...lists, OIDC_SCOPES: "openid email groups" });
    expect((await tokensOf(withGroups, "ada")).scope).toBe("n8n:read");
    expect((await signInAs(withGroups, "grace")).answer.status).toBe(403);
    const without = new Deployment({ ...REAL, ...lists });
    expect((await signInAs(without, "ada")).answer.status).toBe(403);
  });

  test("payload is for listed users, and only when they tick it", async () => {
    const deployment = new Deployment({ ...REAL, DATA_EMAILS: "ada@example.com" });
    expect((await tokensOf(deployment, "ada", { scope: "n8n:data" })).scope).toBe("n8n:read n8n:data");
    expect((await tokensOf(deployment, "ada")).scope).toBe("n8n:read");
    expect((await tokensOf(deployment, "grace", { scope: "n8n:data" })).scope).toBe("n8n:read");
  });
});

describe("a user without n8n:data", () => {
  test("is asked to step up if that can grant it", async () => {
    const deployment = new Deployment({ ...REAL, DATA_EMAILS: "ada@example.com" });
    const { access_token: token } = await tokensOf(deployment, "ada");
    const answer = await callDataTool(deployment, token);
    expect(answer.status).toBe(403);
    const challenge = answer.headers.get("WWW-Authenticate");
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="n8n:read n8n:data"');
  });

  test("is told in words if it cannot be granted, since signing in again would not help", async () => {
    const deployment = new Deployment(REAL);
    const { access_token: token } = await tokensOf(deployment, "ada", { scope: "n8n:data" });
    const answer = await callDataTool(deployment, token);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toContain("INSUFFICIENT_SCOPE");
    expect(text).toContain("DATA_EMAILS");
  });
});

describe("a session", () => {
  test.each([
    ["a day", {}, 24],
    ["as long as configured", { OIDC_SESSION_HOURS: "8" }, 8],
  ])("lasts %s, however often it is refreshed", async (_, settings, hours) => {
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

describe("a user removed from the lists", () => {
  const takenOff = { ALLOWED_EMAIL_DOMAINS: "", ALLOWED_EMAILS: "grace@example.com" };

  test("is refused at the next request, and others are not", async () => {
    const deployment = new Deployment(REAL);
    const ada = await tokensOf(deployment, "ada");
    const grace = await tokensOf(deployment, "grace");
    expect(await deployment.whoIs(ada.access_token)).toMatchObject({ scope: ["n8n:read"] });
    deployment.settings = { ...deployment.settings, ...takenOff };
    expect(await deployment.whoIs(ada.access_token)).toBe(401);
    expect(await deployment.whoIs(grace.access_token)).toMatchObject({ scope: ["n8n:read"] });
  });

  test("cannot refresh, and the grant does not return with them", async () => {
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

  test("cannot exchange a code issued before", async () => {
    const deployment = new Deployment(REAL);
    const { clientId, answer } = await signInAs(deployment, "ada");
    const code = destinationOf(answer).searchParams.get("code") ?? "";
    deployment.settings = { ...deployment.settings, ...takenOff };

    const response = await exchangeCode(clientId, code, {}, deployment.send);
    expect(await response.json()).toMatchObject({ error: "invalid_grant" });
  });

  test("of payload loses payload at the next request, and stays signed in", async () => {
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
    ["the provider is removed", { OIDC_ISSUER: "", OIDC_CLIENT_ID: "", OIDC_CLIENT_SECRET: "" }],
    ["the provider is replaced", settingsFor("thinProvider")],
  ])("includes everyone when %s", async (_, change) => {
    const deployment = new Deployment({ ...REAL, ACCESS_PASSPHRASE: PASSPHRASE });
    const ada = await tokensOf(deployment, "ada");
    deployment.settings = { ...deployment.settings, ...change };
    expect(await deployment.whoIs(ada.access_token)).toBe(401);
    expect((await refresh(deployment, ada)).status).toBe(400);
  });

  test("includes the owner when the passphrase is removed", async () => {
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
