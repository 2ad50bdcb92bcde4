import { reset } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import { PUBLIC_URL } from "./secrets.ts";
import { register } from "./sign-in/client.ts";

afterEach(() => reset());

async function storedClients(): Promise<number> {
  return (await env.OAUTH_KV.list({ prefix: "client:" })).keys.length;
}

describe("a client may register", () => {
  test.each([
    ["Claude", { client_name: "Claude", redirect_uris: ["https://claude.ai/api/mcp/auth_callback"] }],
    [
      "Claude Code",
      { client_name: "Claude Code (n8n-observer)", redirect_uris: ["http://localhost:54545/callback"] },
    ],
    [
      "Cursor, whose private-use callback is kept but never used",
      {
        client_name: "Cursor",
        redirect_uris: [
          "cursor://anysphere.cursor-mcp/oauth/callback",
          "https://www.cursor.com/agents/mcp/oauth/callback",
        ],
      },
    ],
    ["a confidential client", { token_endpoint_auth_method: "client_secret_basic" }],
  ])("%s", async (_, metadata) => {
    const response = await register({
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...metadata,
    });
    expect(response.status).toBe(201);
    expect(await storedClients()).toBe(1);
  });
});

describe("a registration is refused", () => {
  test.each([
    ["with a name of 900 kB", { client_name: "x".repeat(900_000) }],
    ["with a long name", { client_name: "x".repeat(201) }],
    ["with a long name in another language", { "client_name#ja": "x".repeat(201) }],
    ["with 100 kB of metadata", { policy_uri: `https://client.example/${"x".repeat(100_000)}` }],
    ["with 100 kB of fields that nobody knows", { note: "x".repeat(100_000) }],
    [
      "with a hundred redirect URIs",
      { redirect_uris: Array.from({ length: 100 }, (_, n) => `https://a.example/${n}`) },
    ],
    ["with a redirect URI over plain http", { redirect_uris: ["http://client.example/callback"] }],
    ["with one such among good ones", { redirect_uris: ["https://a.example/", "http://a.example/"] }],
    ["with a lookalike of localhost", { redirect_uris: ["http://localhost.evil.example/callback"] }],
    ["with a scheme that runs code", { redirect_uris: ["javascript:alert(1)"] }],
    ["with a private-use scheme alone", { redirect_uris: ["evil-app://callback"] }],
    ["without a redirect URI", { redirect_uris: [] }],
    ["with a redirect URI that is none", { redirect_uris: [42] }],
    ["with a name that is none", { client_name: { toString: "x" } }],
    ["for the implicit grant", { grant_types: ["implicit"], response_types: ["token"] }],
  ])("%s", async (_, metadata) => {
    const response = await register(metadata);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: expect.stringMatching(/^invalid_/) });
    expect(await storedClients()).toBe(0);
  });

  test.each(["", "{", "[]", "null", '"text"'])("when its body is %o", async (body) => {
    const headers = { "Content-Type": "application/json" };
    const response = await exports.default.fetch(`${PUBLIC_URL}/register`, { method: "POST", headers, body });
    expect(response.status).toBe(400);
  });
});
