import { reset } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { askWith } from "./ask-with.ts";
import { N8N_ORIGIN, PUBLIC_URL } from "./secrets.ts";
import { REDIRECT_URI, register, registeredClientId, storedClients } from "./sign-in/client.ts";

afterEach(() => reset());

describe("a client may register:", () => {
  test.each([
    ["Claude", { client_name: "Claude", redirect_uris: ["https://claude.ai/api/mcp/auth_callback"] }],
    [
      "Claude Code",
      { client_name: "Claude Code (n8n-observer)", redirect_uris: ["http://localhost:54545/callback"] },
    ],
    [
      "Cursor, whose private-use callback is stored but never used",
      {
        client_name: "Cursor",
        redirect_uris: [
          "cursor://anysphere.cursor-mcp/oauth/callback",
          "grokbot://mcp/oauth/callback",
          "https://www.cursor.com/agents/mcp/oauth/callback",
          "https://www.cursor.com/bot/mcp/oauth/callback",
          "http://localhost:8787/callback",
        ],
      },
    ],
    [
      "ChatGPT",
      { client_name: "ChatGPT", redirect_uris: ["https://chatgpt.com/connector/oauth/SvtDqU1r6I17"] },
    ],
    [
      "Visual Studio Code",
      {
        client_name: "Visual Studio Code",
        redirect_uris: [
          "https://insiders.vscode.dev/redirect",
          "https://vscode.dev/redirect",
          "http://127.0.0.1/",
          "http://127.0.0.1:33418/",
        ],
      },
    ],
    [
      "this server's n8n",
      { client_name: "n8n", redirect_uris: [`${N8N_ORIGIN}/rest/oauth2-credential/callback`] },
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

test("registration that is off is refused as in RFC 7591, and stores nothing", async () => {
  const body = JSON.stringify({ redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" });
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body };
  const response = await askWith({ CLIENT_REGISTRATION: "off" }, `${PUBLIC_URL}/register`, init);
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({
    error: "access_denied",
    error_description: expect.stringContaining("CLIENT_REGISTRATION"),
  });
  expect(await storedClients()).toBe(0);
});

describe("a registration is refused", () => {
  test.each([
    ["with a long name", { client_name: "x".repeat(201) }],
    ["with a long name in another language", { "client_name#ja": "x".repeat(201) }],
    ["with 9 kB of metadata", { policy_uri: `https://client.example/${"x".repeat(9_000)}` }],
    ["with 9 kB of unknown fields", { note: "x".repeat(9_000) }],
    [
      "with a hundred redirect URIs",
      { redirect_uris: Array.from({ length: 100 }, (_, n) => `https://client.example/${n}`) },
    ],
    ["with a redirect URI over plain http", { redirect_uris: ["http://client.example/callback"] }],
    ["with one such among good ones", { redirect_uris: [REDIRECT_URI, "http://client.example/"] }],
    ["with a host that is not on the list", { redirect_uris: ["https://evil.example/callback"] }],
    ["with one such among good ones", { redirect_uris: [REDIRECT_URI, "https://evil.example/callback"] }],
    ["with a lookalike host", { redirect_uris: ["https://client.example.evil.example/callback"] }],
    ["with a listed host as user info", { redirect_uris: ["https://client.example@evil.example/"] }],
    ["with another path of Claude's host", { redirect_uris: ["https://claude.ai/api/mcp/other"] }],
    ["with a webhook of our n8n", { redirect_uris: [`${N8N_ORIGIN}/webhook/callback`] }],
    [
      "with the callback of another n8n",
      { redirect_uris: ["https://n8n.evil.example/rest/oauth2-credential/callback"] },
    ],
    ["with a lookalike of localhost", { redirect_uris: ["http://localhost.evil.example/callback"] }],
    ["with a scheme that runs code", { redirect_uris: ["javascript:alert(1)"] }],
    ["with only a private-use scheme", { redirect_uris: ["evil-app://callback"] }],
    ["without a redirect URI", { redirect_uris: [] }],
    ["with a number as redirect URI", { redirect_uris: [42] }],
    ["with an object as name", { client_name: { toString: "x" } }],
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

describe("a web page", () => {
  const preflight = (origin: string) =>
    exports.default.fetch(`${PUBLIC_URL}/register`, {
      method: "OPTIONS",
      headers: { Origin: origin, "Access-Control-Request-Method": "POST" },
    });

  test.each([
    ["of this server", PUBLIC_URL],
    ["on localhost", "http://localhost:6274"],
    ["on 127.0.0.1", "http://127.0.0.1:6274"],
    ["of a host on the list", "https://client.example"],
    ["of Claude, whose whole callback is on the list", "https://claude.ai"],
  ])("%s may register a client", async (_, origin) => {
    const response = await register({}, { Origin: origin });
    expect(response.status).toBe(201);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe(origin);
    expect((await preflight(origin)).ok).toBe(true);
  });

  test.each([
    "https://evil.example",
    "https://client.example.evil.example",
    "http://client.example",
    "https://client.example:8443",
    "https://client.example/",
    "http://localhost.evil.example",
    "null",
  ])("%j may not, and its browser learns so in the preflight", async (origin) => {
    for (const response of [await preflight(origin), await register({}, { Origin: origin })]) {
      expect(response.status).toBe(403);
      expect(response.headers.has("Access-Control-Allow-Origin")).toBe(false);
    }
    expect(await storedClients()).toBe(0);
  });
});

describe("an oversized registration", () => {
  const headers = { "Content-Type": "application/json", Origin: "https://client.example" };
  const send = (body: BodyInit, more: RequestInit = {}) =>
    exports.default.fetch(`${PUBLIC_URL}/register`, { method: "POST", headers, body, ...more });

  test.each([
    ["of 100 kB", JSON.stringify({ redirect_uris: [REDIRECT_URI], policy_uri: "x".repeat(100_000) })],
    [
      "with a name of 900 kB",
      JSON.stringify({ redirect_uris: [REDIRECT_URI], client_name: "x".repeat(900_000) }),
    ],
    ["of 100 kB without JSON, which is not parsed", "x".repeat(100_000)],
    ["of white space", `${" ".repeat(100_000)}{}`],
  ])("%s is refused", async (_, body) => {
    const response = await send(body);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: "invalid_client_metadata" });
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("https://client.example");
    expect(await storedClients()).toBe(0);
  });

  test("is refused also when its length is not declared", async () => {
    const piece = new TextEncoder().encode(" ".repeat(1024));
    let pieces = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (++pieces > 2000) controller.close();
        else controller.enqueue(piece);
      },
    });
    expect((await send(body)).status).toBe(413);
    // It was not read to the end.
    expect(pieces).toBeLessThan(200);
  });

  test("is refused at /token too", async () => {
    const body = new URLSearchParams({ grant_type: "authorization_code", code: "x".repeat(100_000) });
    const response = await exports.default.fetch(`${PUBLIC_URL}/token`, { method: "POST", body });
    expect(response.status).toBe(413);
  });
});

describe("the list of redirect URIs", () => {
  test("can be extended and restricted by the operator", async () => {
    const ask = (setting: string, uri: string) =>
      askWith({ ALLOWED_REDIRECT_HOSTS: setting }, `${PUBLIC_URL}/register`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ redirect_uris: [uri], token_endpoint_auth_method: "none" }),
      });
    const claude = "https://claude.ai/api/mcp/auth_callback";
    expect((await ask("agents.example.com", "https://agents.example.com/cb")).status).toBe(201);
    expect((await ask("agents.example.com", claude)).status).toBe(400);
    expect((await ask("agents.example.com", "http://localhost/cb")).status).toBe(400);
    expect((await ask("default, agents.example.com", claude)).status).toBe(201);
  });

  test("is named with the refused address to the client and in the log, without its query", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const metadata = { redirect_uris: [REDIRECT_URI, "https://evil.example/cb?token=canary"] };
    const response = await register(metadata);
    // A repetition is not logged again.
    await register(metadata);
    const logged = warn.mock.calls.map(([line]) => String(line));
    warn.mockRestore();
    const { error, error_description: description } = await response.json<Record<string, string>>();
    expect(error).toBe("invalid_redirect_uri");
    expect(description).toContain("redirect_uris[1], https://evil.example/cb, is not on the list");
    expect(description).toContain(
      "ALLOWED_REDIRECT_HOSTS (where it is not set yet: 'default, https://evil.example/cb')",
    );
    expect(description).not.toContain("canary");
    expect(logged.map((line) => JSON.parse(line))).toEqual([
      {
        event: "registration_refused",
        reason: "callback_not_allowed",
        setting: "ALLOWED_REDIRECT_HOSTS",
        callback: "https://evil.example/cb",
      },
    ]);
  });

  test.each([
    [
      "plain http, which no list can allow",
      "http://n8n.lan:5678/rest/oauth2-credential/callback",
      /plain http/,
    ],
    [
      "a private-use scheme, with an alternative",
      "windsurf://callback",
      /scheme such as windsurf:.*SERVICE_TOKENS/,
    ],
    [
      "a misleading address, without quoting it",
      "https://claude.ai@evil.example/",
      /^redirect_uris\[0\] is not on/,
    ],
  ])("explains %s", async (_, uri, expected) => {
    const response = await register({ redirect_uris: [uri] });
    const { error, error_description: description } = await response.json<Record<string, string>>();
    expect(error).toBe("invalid_redirect_uri");
    expect(description).toMatch(expected);
    // RFC 6749 §5.2 limits the characters of a description.
    expect(description).toMatch(/^[\x20\x21\x23-\x5B\x5D-\x7E]+$/);
  });

  test("names the word that admits apps on loopback, where they are excluded", async () => {
    const response = await askWith(
      { ALLOWED_REDIRECT_HOSTS: "agents.example.com" },
      `${PUBLIC_URL}/register`,
      {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ redirect_uris: ["http://127.0.0.1:41234/callback"] }),
      },
    );
    const { error_description: description } = await response.json<Record<string, string>>();
    expect(description).toContain("http://127.0.0.1:41234/callback, is on the person's own computer");
    expect(description).toContain("the word loopback in the setting ALLOWED_REDIRECT_HOSTS");
  });

  test("refuses everybody while it is malformed", async () => {
    const clientId = await registeredClientId();
    for (const path of [`/authorize?client_id=${clientId}`, "/register", "/token"]) {
      const response = await askWith({ ALLOWED_REDIRECT_HOSTS: "*" }, `${PUBLIC_URL}${path}`);
      expect(response.status).toBe(503);
      expect(await response.text()).toContain("ALLOWED_REDIRECT_HOSTS");
    }
  });
});
