/**
 * Enterprise-managed authorization: assertions of a real provider, exchanged by the client of the MCP SDK, and every
 * assertion that must be refused.
 */
import { createHash, createHmac, generateKeyPairSync, sign } from "node:crypto";
import { exchangeJwtAuthGrant, requestJwtAuthorizationGrant } from "@modelcontextprotocol/client";
import { describe, expect, inject, test, vi } from "vitest";
import { resetAfterEach } from "../reset.ts";
import { PUBLIC_URL } from "../secrets.ts";
import { CODE_VERIFIER, register } from "../sign-in/client.ts";
import { Deployment, type Settings, signInAtProvider } from "./deployment.ts";

const { issuer, clientId, clientSecret } = inject("managedProvider");
const MANAGED: Settings = {
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: clientId,
  OIDC_CLIENT_SECRET: clientSecret,
  OIDC_ENTERPRISE_MANAGED: "on",
  DATA_GROUPS: "engineering",
};

resetAfterEach();

type App = Record<"client_id" | "client_secret", string>;

async function registerApp(deployment: Deployment): Promise<App> {
  const metadata = { token_endpoint_auth_method: "client_secret_basic" };
  return (await register(metadata, {}, deployment.send)).json<App>();
}

/** The app's ID token from the user's sign-in to it. */
async function idTokenOf(login: string): Promise<string> {
  const start = new URL(`${issuer}/auth`);
  const redirectUri = `${PUBLIC_URL}/callback`;
  const challenge = createHash("sha256").update(CODE_VERIFIER).digest("base64url");
  const parameters = {
    ...{ response_type: "code", client_id: clientId, redirect_uri: redirectUri, state: "state" },
    ...{ scope: "openid email groups", code_challenge: challenge, code_challenge_method: "S256" },
  };
  for (const [name, value] of Object.entries(parameters)) start.searchParams.set(name, value);
  const callback = new URL(await signInAtProvider(start, login));
  const body = new URLSearchParams({
    ...{ grant_type: "authorization_code", code: callback.searchParams.get("code") ?? "" },
    ...{ redirect_uri: redirectUri, code_verifier: CODE_VERIFIER },
    ...{ client_id: clientId, client_secret: clientSecret },
  });
  const response = await fetch(`${issuer}/token`, { method: "POST", body });
  return (await response.json<{ id_token: string }>()).id_token;
}

/** `null` leaves a member out. */
interface Changes {
  readonly claims?: Record<string, unknown>;
  readonly header?: Record<string, unknown>;
  readonly scope?: string;
}

async function assertionFor(app: App, login = "ada", changes: Changes = {}): Promise<string> {
  const { scope = "n8n:read", claims = {}, header = {} } = changes;
  const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
    tokenEndpoint: `${issuer}/token`,
    audience: PUBLIC_URL,
    resource: `${PUBLIC_URL}/mcp`,
    idToken: await idTokenOf(login),
    clientId,
    clientSecret,
    scope,
    fetchFn: (url, init) => {
      const body = new URLSearchParams(String(init?.body));
      body.set("client_there", app.client_id);
      body.set("claims", JSON.stringify(claims));
      body.set("header", JSON.stringify(header));
      return fetch(url, { ...init, body });
    },
  });
  return jwtAuthGrant;
}

/** @param requested the scope that the app requests beside the assertion */
const exchange = (deployment: Deployment, app: App, assertion: string, requested?: string) =>
  exchangeJwtAuthGrant({
    tokenEndpoint: `${PUBLIC_URL}/token`,
    jwtAuthGrant: assertion,
    clientId: app.client_id,
    clientSecret: app.client_secret,
    fetchFn: (url, init) => {
      const body = new URLSearchParams(String(init?.body));
      if (requested !== undefined) body.set("scope", requested);
      return deployment.send(new Request(url, { ...init, body }));
    },
  });

const decoded = (assertion: string, part: 0 | 1) =>
  JSON.parse(Buffer.from(assertion.split(".")[part] ?? "", "base64url").toString()) as Record<
    string,
    unknown
  >;
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("an assertion of the provider", () => {
  test("gives a user access without a browser, as far as the lists allow", async () => {
    const deployment = new Deployment(MANAGED);
    const app = await registerApp(deployment);
    const assertion = await assertionFor(app, "ada", { scope: "n8n:read n8n:data" });
    const tokens = await exchange(deployment, app, assertion);
    expect(tokens).not.toHaveProperty("refresh_token");
    expect(await deployment.whoIs(tokens.access_token)).toEqual({
      props: { userId: expect.stringMatching(/^oidc-[\w-]{43}$/), via: "oidc", access: { kind: "all" } },
      scope: ["n8n:read", "n8n:data"],
    });
  });

  test("grants no more than it says, the lists allow and the app requests", async () => {
    const deployment = new Deployment(MANAGED);
    const app = await registerApp(deployment);
    const scopeOf = async (login: string, changes: Changes) =>
      (await exchange(deployment, app, await assertionFor(app, login, changes))).scope;
    expect(await scopeOf("ada", {})).toBe("n8n:read");
    expect(await scopeOf("ada", { claims: { scope: null } })).toBe("n8n:read");
    expect(await scopeOf("grace", { scope: "n8n:read n8n:data" })).toBe("n8n:read");
    await expect(scopeOf("ada", { scope: "n8n:data" })).rejects.toThrow("not authorized");
    await expect(scopeOf("ada", { scope: "other" })).rejects.toThrow("not authorized");
  });

  test.each([null, " "])("with the scope %j grants no payload, whatever the app requests", async (scope) => {
    const deployment = new Deployment(MANAGED);
    const app = await registerApp(deployment);
    const assertion = await assertionFor(app, "ada", { claims: { scope } });
    const tokens = await exchange(deployment, app, assertion, "n8n:read n8n:data");
    expect(tokens.scope).toBe("n8n:read");
  });

  test("stops working at the next call after the user was removed from the lists", async () => {
    const deployment = new Deployment(MANAGED);
    const app = await registerApp(deployment);
    const { access_token: token } = await exchange(deployment, app, await assertionFor(app));
    deployment.settings = { ...deployment.settings, ALLOWED_EMAIL_DOMAINS: "elsewhere.example" };
    expect(await deployment.whoIs(token)).toBe(401);
  });

  test("is announced as supported only while it is on", async () => {
    const announced = async (settings: Settings) =>
      (
        await new Deployment(settings).send(
          new Request(`${PUBLIC_URL}/.well-known/oauth-authorization-server`),
        )
      ).json<{ grant_types_supported: string[] }>();
    const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    expect((await announced(MANAGED)).grant_types_supported).toContain(grant);
    const off = await announced({ ...MANAGED, OIDC_ENTERPRISE_MANAGED: "off" });
    expect(off.grant_types_supported).not.toContain(grant);
  });
});

describe("an assertion is refused", () => {
  const HOUR = 3600;
  const now = () => Math.floor(Date.now() / 1000);

  test.each<[string, string, Changes]>([
    ["for another server", "aud_mismatch", { claims: { aud: "https://other.example" } }],
    [
      "for this server and another",
      "invalid_claim",
      { claims: { aud: [PUBLIC_URL, "https://other.example"] } },
    ],
    ["for another resource", "resource_mismatch", { claims: { resource: `${PUBLIC_URL}/other` } }],
    ["of another issuer", "issuer_not_trusted", { claims: { iss: "https://other.example" } }],
    ["of an issuer with a slash more", "issuer_not_trusted", { claims: { iss: "https://id.example/" } }],
    ["that is an ID token", "invalid_typ", { header: { typ: "JWT" } }],
    ["without a type", "invalid_typ", { header: { typ: null } }],
    ["that has expired", "expired", { claims: { iat: now() - 2 * HOUR, exp: now() - HOUR } }],
    ["of the future", "iat_in_future", { claims: { iat: now() + HOUR, exp: now() + HOUR + 60 } }],
    ["that lasts for hours", "lifetime_too_long", { claims: { exp: now() + HOUR } }],
    ["without an end", "invalid_claim", { claims: { exp: null } }],
    ["without an id", "invalid_claim", { claims: { jti: null } }],
    ["without a subject", "invalid_claim", { claims: { sub: null } }],
    ["for another app", "client_id_mismatch", { claims: { client_id: "another" } }],
    ["that is bound to a key", "unsupported_claim", { claims: { cnf: { jkt: "x" } } }],
    ["that says it is unsigned", "invalid_alg", { header: { alg: "none" } }],
    ["of a key that the provider does not have", "no_matching_key", { header: { kid: "another" } }],
    ["about somebody who is on no list", "mapper_denied", { claims: { email: "mallory@evil-example.com" } }],
    ["whose address is not verified", "mapper_denied", { claims: { email_verified: false } }],
  ])("%s: %s", async (_, reason, changes) => {
    const logged = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const deployment = new Deployment(MANAGED);
    const app = await registerApp(deployment);
    const assertion = await assertionFor(app, "ada", changes);
    await expect(exchange(deployment, app, assertion)).rejects.toThrow(/exchange failed/);
    expect(logged.mock.calls.join()).toContain(`"reason":"${reason}"`);
  });

  test("when it is used again", async () => {
    const deployment = new Deployment(MANAGED);
    const app = await registerApp(deployment);
    const assertion = await assertionFor(app);
    const tries = await Promise.allSettled([1, 2, 3, 4].map(() => exchange(deployment, app, assertion)));
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(exchange(deployment, app, assertion)).rejects.toThrow("Invalid assertion");
  });

  test("with a missing or forged signature", async () => {
    const deployment = new Deployment(MANAGED);
    const app = await registerApp(deployment);
    const assertion = await assertionFor(app);
    const [header = "", claims = ""] = assertion.split(".");
    const { keys } = await (await fetch(`${issuer}/jwks`)).json<{ keys: Record<string, string>[] }>();
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const symmetric = `${encoded({ ...decoded(assertion, 0), alg: "HS256" })}.${claims}`;
    const secret = JSON.stringify(keys[0]);
    const forged = [
      `${encoded({ ...decoded(assertion, 0), alg: "none" })}.${claims}.`,
      `${encoded({ ...decoded(assertion, 0), alg: "none" })}.${claims}.AAAA`,
      `${symmetric}.${createHmac("sha256", secret).update(symmetric).digest("base64url")}`,
      `${header}.${claims}.${sign("RSA-SHA256", Buffer.from(`${header}.${claims}`), privateKey).toString("base64url")}`,
      `${header}.${encoded({ ...decoded(assertion, 1), sub: "grace-1906" })}.${assertion.split(".")[2]}`,
    ];
    for (const one of forged)
      await expect(exchange(deployment, app, one)).rejects.toThrow("Invalid assertion");
    expect((await exchange(deployment, app, assertion)).access_token).toBeTruthy();
  });

  test("from an app without a secret, with a wrong one, or of another app", async () => {
    const deployment = new Deployment(MANAGED);
    const app = await registerApp(deployment);
    const other = await registerApp(deployment);
    const assertion = await assertionFor(app);
    await expect(exchange(deployment, other, assertion)).rejects.toThrow("Invalid assertion");
    await expect(exchange(deployment, { ...app, client_secret: "wrong" }, assertion)).rejects.toThrow();
    const open = await (await register({}, {}, deployment.send)).json<App>();
    const body = new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      ...{ client_id: open.client_id, assertion: await assertionFor(open) },
    });
    const response = await deployment.send(new Request(`${PUBLIC_URL}/token`, { method: "POST", body }));
    expect(response.status).toBe(401);
  });

  test("while the feature is off", async () => {
    const deployment = new Deployment({ ...MANAGED, OIDC_ENTERPRISE_MANAGED: "off" });
    const app = await registerApp(deployment);
    const assertion = await assertionFor(app);
    await expect(exchange(deployment, app, assertion)).rejects.toThrow("not supported");
  });
});
