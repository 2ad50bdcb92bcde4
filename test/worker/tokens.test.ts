import { createExecutionContext, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import { createRoleCache, type ProtectedHandler } from "../../src/sign-in/oauth-roles.ts";
import { PUBLIC_URL, SERVICE_TOKEN } from "./secrets.ts";
import { callMcp, callStatus, obtainAccessToken } from "./sign-in/client.ts";

afterEach(() => reset());

/** Returns its caller, as a tool would see it. */
const echo: ProtectedHandler = async (_request, _env, ctx) => {
  const { audience, scope, clientId, userId } = ctx.auth;
  return Response.json({ props: ctx.props, audience, scope, clientId, userId });
};

async function whoIs(token: string): Promise<unknown> {
  const { resourceServer } = createRoleCache(echo)(PUBLIC_URL);
  const request = new Request(`${PUBLIC_URL}/mcp`, { headers: { Authorization: `Bearer ${token}` } });
  const response = await resourceServer.fetch(request, env, createExecutionContext());
  return response.ok ? response.json() : response.status;
}

describe("the caller behind a token", () => {
  test("of the passphrase is the owner", async () => {
    expect(await whoIs(await obtainAccessToken())).toEqual({
      props: { userId: "owner", via: "passphrase", access: { kind: "all" }, grantId: expect.any(String) },
      audience: `${PUBLIC_URL}/mcp`,
      scope: ["n8n:read"],
      clientId: expect.any(String),
      userId: "owner",
    });
  });

  test("of a service is the service, with the scopes of its entry", async () => {
    expect(await whoIs(SERVICE_TOKEN.readAndData)).toEqual({
      props: { userId: "service-nightly", via: "service-token", access: { kind: "all" } },
      audience: `${PUBLIC_URL}/mcp`,
      scope: ["n8n:read", "n8n:data"],
      clientId: "service-nightly",
      userId: "service-nightly",
    });
    expect(await whoIs(SERVICE_TOKEN.readOnly)).toMatchObject({ scope: ["n8n:read"] });
  });

  test("is nobody if the token was issued for another address of this server", async () => {
    const token = await obtainAccessToken();
    const other = createRoleCache(echo)("https://other.example").resourceServer;
    const request = new Request("https://other.example/mcp", {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect((await other.fetch(request, env, createExecutionContext())).status).toBe(401);
  });
});

describe("a service token", () => {
  test("opens /mcp", async () => {
    const response = await callMcp({ Authorization: `Bearer ${SERVICE_TOKEN.readOnly}` });
    expect(response.status).toBe(200);
  });

  test("that is wrong does not, nor does its hash or name", async () => {
    const hash = /[0-9a-f]{64}/.exec(String(Reflect.get(env, "SERVICE_TOKENS")))?.[0] ?? "";
    expect(hash).toHaveLength(64);
    for (const token of [`${SERVICE_TOKEN.readOnly}x`, SERVICE_TOKEN.readOnly.slice(1), hash, "reader"]) {
      expect(await callStatus(token)).toBe(401);
    }
  });

  test("without n8n:read is told what it lacks", async () => {
    const response = await callMcp({ Authorization: `Bearer ${SERVICE_TOKEN.dataOnly}` });
    expect(response.status).toBe(403);
    const challenge = response.headers.get("WWW-Authenticate") ?? "";
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="n8n:read"');
    expect(challenge).toContain("resource_metadata=");
  });
});

test("the roles of only a few addresses are remembered", () => {
  const rolesFor = createRoleCache(echo);
  const first = rolesFor("http://localhost:1000");
  expect(rolesFor("http://localhost:1000")).toBe(first);
  for (let port = 2000; port < 2020; port++) rolesFor(`http://localhost:${port}`);
  expect(rolesFor("http://localhost:1000")).not.toBe(first);
});
