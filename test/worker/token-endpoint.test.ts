/** The token endpoint refuses stolen, replayed, retargeted and widened requests. */
import { reset } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { PUBLIC_URL } from "./secrets.ts";
import { Browser } from "./sign-in/browser.ts";
import {
  CODE_VERIFIER,
  callMcp,
  callStatus,
  exchangeCode,
  obtainAccessToken,
  obtainCode,
  refresh,
  registeredClientId,
  signIn,
  type Tokens,
} from "./sign-in/client.ts";

afterEach(() => reset());

describe("a code", () => {
  test.each([
    ["with the challenge as verifier", createHash("sha256").update(CODE_VERIFIER).digest("base64url")],
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

  test("replayed ends the grant of the first exchange, with its refresh token", async () => {
    const clientId = await registeredClientId();
    const code = await obtainCode(new Browser(), clientId);
    const tokens = await (await exchangeCode(clientId, code)).json<Tokens>();
    const second = await exchangeCode(clientId, code);
    expect(second.status).toBe(400);
    expect(await second.json()).toMatchObject({ error: "invalid_grant" });
    expect(await callStatus(tokens.access_token)).toBe(401);
    const response = await refresh(clientId, tokens.refresh_token);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "invalid_grant" });
  });

  test("of somebody else who knows the passphrase, at the same app, leaves the first signed in", async () => {
    const { clientId, tokens } = await signIn();
    await obtainCode(new Browser(), clientId);
    expect(await callStatus(tokens.access_token)).toBe(200);
    expect((await refresh(clientId, tokens.refresh_token)).status).toBe(200);
  });
});

describe("a refresh token", () => {
  test("cannot be used by another client", async () => {
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
    expect(await callStatus(tokens.refresh_token)).toBe(401);
    expect((await refresh(clientId, tokens.access_token)).status).toBe(400);
  });
});

describe("a foreign resource (RFC 8707)", () => {
  const FOREIGN = ["https://other.example/mcp", `${PUBLIC_URL}/`, `${PUBLIC_URL}/mcp-other`, "not a url"];

  test.each(FOREIGN)("%s is refused with a code, which is not used up", async (resource) => {
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

describe("a token outside the header", () => {
  test.each(["access_token", "token", "authorization", "Authorization"])(
    "is refused in the query as %s",
    async (name) => {
      const token = await obtainAccessToken();
      const query = new URLSearchParams({ [name]: name.startsWith("a") ? token : `Bearer ${token}` });
      expect((await callMcp({}, `/mcp?${query}`)).status).toBe(401);
    },
  );

  test("is refused in a form and in a cookie", async () => {
    const token = await obtainAccessToken();
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
    // Only pages of hosts on the list register an app.
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

describe("a hostile Host header", () => {
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
