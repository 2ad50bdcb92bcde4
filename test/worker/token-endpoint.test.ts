/** The token endpoint: what a stolen, replayed, retargeted or widened request gets. */
import { reset } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { hasEnded } from "../../src/sign-in/tokens/grant-ledger.ts";
import { grantOf } from "../../src/sign-in/tokens/presented-token.ts";
import { PUBLIC_URL } from "./secrets.ts";
import { Browser } from "./sign-in/browser.ts";
import {
  CODE_VERIFIER,
  callMcp,
  exchangeCode,
  obtainAccessToken,
  obtainCode,
  refresh,
  registeredClientId,
} from "./sign-in/client.ts";

afterEach(() => reset());

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

async function signIn(fields: Record<string, string> = {}): Promise<{ clientId: string; tokens: Tokens }> {
  const clientId = await registeredClientId();
  const response = await exchangeCode(clientId, await obtainCode(new Browser(), clientId, fields));
  return { clientId, tokens: await response.json<Tokens>() };
}

const statusOf = async (token: string) => (await callMcp({ Authorization: `Bearer ${token}` })).status;

describe("a code", () => {
  test.each([
    ["with the challenge for a verifier", createHash("sha256").update(CODE_VERIFIER).digest("base64url")],
    ["with the verifier in another case", CODE_VERIFIER.toUpperCase()],
    ["with a part of the verifier", CODE_VERIFIER.slice(0, -1)],
    ["with no verifier", ""],
  ])("is not exchanged %s", async (_, verifier) => {
    const clientId = await registeredClientId();
    const code = await obtainCode(new Browser(), clientId);
    const response = await exchangeCode(clientId, code, { code_verifier: verifier });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: expect.stringMatching(/^invalid_(grant|request)$/),
    });
  });

  test("replayed takes the refresh token of the first exchange with it", async () => {
    const clientId = await registeredClientId();
    const code = await obtainCode(new Browser(), clientId);
    const tokens = await (await exchangeCode(clientId, code)).json<Tokens>();
    expect((await exchangeCode(clientId, code)).status).toBe(400);
    expect(await statusOf(tokens.access_token)).toBe(401);
    const response = await refresh(clientId, tokens.refresh_token);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "invalid_grant" });
  });

  test("whose user starts anew ends the sign-in before", async () => {
    const { clientId, tokens } = await signIn();
    await obtainCode(new Browser(), clientId);
    expect(await statusOf(tokens.access_token)).toBe(401);
    expect((await refresh(clientId, tokens.refresh_token)).status).toBe(400);
  });
});

describe("a refresh token", () => {
  test("is good until its successor is used, so that a lost answer can be asked for again", async () => {
    const { clientId, tokens } = await signIn();
    const second = await (await refresh(clientId, tokens.refresh_token)).json<Tokens>();
    expect(second.refresh_token).not.toBe(tokens.refresh_token);
    const again = await refresh(clientId, tokens.refresh_token);
    expect(again.status).toBe(200);
  });

  test("replayed after that ends the grant for both sides", async () => {
    const { clientId, tokens } = await signIn();
    const second = await (await refresh(clientId, tokens.refresh_token)).json<Tokens>();
    const third = await (await refresh(clientId, second.refresh_token)).json<Tokens>();
    const replay = await refresh(clientId, tokens.refresh_token);
    expect([replay.status, await replay.json()]).toMatchObject([400, { error: "invalid_grant" }]);
    expect(await statusOf(third.access_token)).toBe(401);
    expect((await refresh(clientId, third.refresh_token)).status).toBe(400);
  });

  test("revoked ends the grant everywhere at once, if its own client does it (RFC 7009)", async () => {
    const { clientId, tokens } = await signIn();
    const revoke = async (client: string) => {
      const body = new URLSearchParams({ client_id: client, token: tokens.refresh_token });
      return (await exports.default.fetch(`${PUBLIC_URL}/token`, { method: "POST", body })).status;
    };
    const grant = grantOf(tokens.refresh_token) ?? { userId: "", grantId: "" };
    expect([await revoke(await registeredClientId()), await hasEnded(env, grant)]).toEqual([200, false]);
    expect([await revoke(clientId), await hasEnded(env, grant)]).toEqual([200, true]);
  });

  test("is of no use to another client", async () => {
    const { tokens } = await signIn();
    const response = await refresh(await registeredClientId(), tokens.refresh_token);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "invalid_grant" });
  });

  test("gives no scope that was not granted", async () => {
    const { clientId, tokens } = await signIn();
    expect(tokens.scope).toBe("n8n:read");
    const wider = await refresh(clientId, tokens.refresh_token, { scope: "n8n:read n8n:data" });
    expect(await wider.json()).toMatchObject({ scope: "n8n:read" });
    const other = await refresh(clientId, tokens.refresh_token, { scope: "n8n:data" });
    expect(await other.json()).toMatchObject({ error: "invalid_scope" });
  });

  test("is no access token, and an access token is no refresh token", async () => {
    const { clientId, tokens } = await signIn();
    expect(await statusOf(tokens.refresh_token)).toBe(401);
    expect((await refresh(clientId, tokens.access_token)).status).toBe(400);
  });
});

describe("a foreign resource (RFC 8707)", () => {
  const FOREIGN = ["https://other.example/mcp", `${PUBLIC_URL}/`, `${PUBLIC_URL}/mcp-other`, "not a url"];

  test.each(FOREIGN)("%s is refused with a code, which is not spent by it", async (resource) => {
    const clientId = await registeredClientId();
    const code = await obtainCode(new Browser(), clientId);
    const response = await exchangeCode(clientId, code, { resource });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "invalid_target" });
    expect((await exchangeCode(clientId, code, { resource: `${PUBLIC_URL}/mcp` })).status).toBe(200);
  });

  test.each(FOREIGN)("%s is refused with a refresh token", async (resource) => {
    const { clientId, tokens } = await signIn();
    const response = await refresh(clientId, tokens.refresh_token, { resource });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "invalid_target" });
  });

  test("is refused beside ours as well", async () => {
    const { clientId, tokens } = await signIn();
    const body = new URLSearchParams({
      grant_type: "refresh_token",
      client_id: clientId,
      refresh_token: tokens.refresh_token,
      resource: `${PUBLIC_URL}/mcp`,
    });
    body.append("resource", "https://other.example/mcp");
    const response = await exports.default.fetch(`${PUBLIC_URL}/token`, { method: "POST", body });
    expect(await response.json()).toMatchObject({ error: "invalid_target" });
  });
});

describe("a token anywhere but in the header", () => {
  test.each(["access_token", "token", "authorization", "Authorization"])(
    "is refused in the query as %s",
    async (name) => {
      const token = await obtainAccessToken(new Browser());
      const query = new URLSearchParams({ [name]: name.startsWith("a") ? token : `Bearer ${token}` });
      expect((await callMcp({}, `/mcp?${query}`)).status).toBe(401);
    },
  );

  test("is refused in a form and in a cookie", async () => {
    const token = await obtainAccessToken(new Browser());
    const body = new URLSearchParams({ access_token: token });
    const response = await exports.default.fetch(`${PUBLIC_URL}/mcp`, { method: "POST", body });
    expect(response.status).toBe(401);
    expect((await callMcp({ Cookie: `access_token=${token}; Authorization=Bearer ${token}` })).status).toBe(
      401,
    );
  });
});

describe("a page of another origin", () => {
  test.each([
    ["/token", 400],
    // Only pages to which access may be sent register an app.
    ["/register", 403],
  ])("may read the answers of %s, but never with the user's cookies", async (path, status) => {
    const response = await exports.default.fetch(`${PUBLIC_URL}${path}`, {
      method: "POST",
      headers: { Origin: "https://evil.example", "Content-Type": "application/json" },
      body: "{}",
    });
    expect(response.status).toBe(status);
    expect(response.headers.has("Access-Control-Allow-Credentials")).toBe(false);
    expect(response.headers.has("Set-Cookie")).toBe(false);
  });

  test("cannot read the consent page", async () => {
    const response = await new Browser().open(`${PUBLIC_URL}/authorize`, { Origin: "https://evil.example" });
    expect(response.headers.has("Access-Control-Allow-Origin")).toBe(false);
  });
});

describe("a hostile Host", () => {
  test.each(["/authorize", "/token", "/register", "/mcp", "/.well-known/oauth-authorization-server"])(
    "is refused at %s, and appears in no answer",
    async (path) => {
      for (const host of ["evil.example", "observer.example:8443", "observer.example.evil.example"]) {
        const response = await exports.default.fetch(`${PUBLIC_URL}${path}`, { headers: { Host: host } });
        expect(response.status).toBe(421);
        expect(await response.text()).not.toContain("evil.example");
      }
    },
  );

  test("does not change what is announced", async () => {
    for (const header of ["X-Forwarded-Host", "X-Host", "Forwarded"]) {
      const response = await exports.default.fetch(`${PUBLIC_URL}/.well-known/oauth-authorization-server`, {
        headers: { [header]: "evil.example" },
      });
      expect(await response.text()).not.toContain("evil.example");
    }
  });
});
