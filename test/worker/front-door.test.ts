import { createExecutionContext, reset } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import worker from "../../src/index.ts";
import { askWith } from "./ask-with.ts";
import { PASSPHRASE, PUBLIC_URL, SERVICE_TOKEN } from "./secrets.ts";
import { Browser } from "./sign-in/browser.ts";
import { authorizeUrl, callMcp, obtainAccessToken, register, registeredClientId } from "./sign-in/client.ts";

afterEach(() => reset());

const HTML = { Accept: "text/html" };
const BEARER = { Authorization: `Bearer ${SERVICE_TOKEN.readOnly}` };

describe("a request to another address of this server", () => {
  test.each(["/", "/mcp", "/authorize", "/token", "/register", "/.well-known/oauth-protected-resource/mcp"])(
    "is told the right one at %s",
    async (path) => {
      const settings = { PUBLIC_URL: "http://localhost:8787" };
      const response = await askWith(settings, `http://127.0.0.1:8787${path}`, { headers: BEARER });
      expect(response.status).toBe(421);
      expect(JSON.stringify(await response.json())).toContain("http://localhost:8787/mcp");
    },
  );

  test("gets a page in a browser", async () => {
    const response = await askWith(
      { PUBLIC_URL: "http://localhost:8787" },
      "http://127.0.0.1:8787/authorize",
      { headers: HTML },
    );
    expect(response.status).toBe(421);
    expect(await response.text()).toContain("http://localhost:8787/mcp");
  });

  test("is accepted on loopback while PUBLIC_URL is not set", async () => {
    for (const origin of ["http://localhost:8787", "http://127.0.0.1:9000"]) {
      const response = await askWith(
        { PUBLIC_URL: "" },
        `${origin}/.well-known/oauth-protected-resource/mcp`,
      );
      expect(await response.json()).toMatchObject({
        resource: `${origin}/mcp`,
        authorization_servers: [origin],
      });
    }
  });

  test.each([
    "https://evil.example/mcp",
    "http://observer.example/mcp",
    "https://observer.example:8443/mcp",
    "https://observer.example.evil.example/mcp",
    "http://localhost/mcp",
  ])("to %s is refused even with a valid token", async (url) => {
    const response = await exports.default.fetch(url, { method: "POST", headers: BEARER, body: "{}" });
    expect(response.status).toBe(421);
  });

  test("with a hostile Host header is refused", async () => {
    const headers = { ...BEARER, Host: "evil.example" };
    const response = await worker.fetch(
      new Request(`${PUBLIC_URL}/mcp`, { method: "POST", headers }),
      env,
      createExecutionContext(),
    );
    expect(response.status).toBe(421);
  });
});

describe("the Origin of a call to /mcp", () => {
  test.each([
    "https://evil.example",
    "null",
    "https://observer.example.evil.example",
    "http://observer.example",
  ])("%s is refused even with a valid token", async (origin) => {
    const response = await callMcp({ ...BEARER, Origin: origin });
    expect(response.status).toBe(403);
    expect(response.headers.has("Access-Control-Allow-Origin")).toBe(false);
  });

  test("is checked in a preflight as well", async () => {
    const headers = { Origin: "https://evil.example", "Access-Control-Request-Method": "POST" };
    const response = await exports.default.fetch(`${PUBLIC_URL}/mcp`, { method: "OPTIONS", headers });
    expect(response.status).toBe(403);
  });

  test.each([PUBLIC_URL, "http://localhost:6274", "http://127.0.0.1:6274"])(
    "%s is accepted",
    async (origin) => {
      expect((await callMcp({ ...BEARER, Origin: origin })).status).toBe(200);
    },
  );
});

describe("an unauthenticated call to /mcp", () => {
  test.each([
    ["without a token", {}, /no access token with this request\. Sign in from your MCP client/],
    [
      "with a wrong one",
      { Authorization: "Bearer wrong" },
      /not valid here, or not any more\. Sign in again/,
    ],
    ["with a token of another kind", { Authorization: "Basic d3Jvbmc6" }, /not valid here/],
  ])("%s is told what to do, in text that clients show", async (_, headers, expected) => {
    const response = await callMcp(headers);
    expect(response.status).toBe(401);
    expect(response.headers.get("WWW-Authenticate")).toContain("resource_metadata=");
    expect(response.headers.get("Content-Type")).toContain("application/json");
    const body = await response.json<{ error: string; error_description: string }>();
    expect(body).toEqual({ error: "invalid_token", error_description: expect.stringMatching(expected) });
    expect(body.error_description).toContain("SERVICE_TOKENS");
    expect(body.error_description).not.toContain("wrong");
  });
});

describe("a missing or malformed setting", () => {
  test.each([
    // Without it, any host except loopback could be an attacker's, as in DNS rebinding.
    ["PUBLIC_URL", { PUBLIC_URL: "" }, 421],
    ["PUBLIC_URL", { PUBLIC_URL: "http://observer.example" }, 503],
    ["PUBLIC_URL", { PUBLIC_URL: `${PUBLIC_URL}/path` }, 503],
    ["SERVICE_TOKENS", { SERVICE_TOKENS: "reader not-a-hash n8n:read" }, 503],
    ["ACCESS_PASSPHRASE", { ACCESS_PASSPHRASE: "canary-4711" }, 503],
  ])(
    "%s is named with its fix by every endpoint, and nobody is admitted",
    async (setting, settings, status) => {
      for (const path of ["/mcp", "/token", "/register", "/.well-known/oauth-authorization-server"]) {
        const response = await askWith(settings, `${PUBLIC_URL}${path}`, { headers: BEARER });
        expect(response.status).toBe(status);
        const body = await response.json<{ error: string; error_description: string }>();
        expect(body.error).toBe("server_error");
        expect(body.error_description).toContain(setting);
        expect(body.error_description).not.toMatch(/canary|not-a-hash/);
      }
      const page = await askWith(settings, `${PUBLIC_URL}/authorize`, { headers: HTML });
      expect(page.status).toBe(status);
      expect(page.headers.get("Content-Type")).toContain("text/html");
      expect(await page.text()).toContain(setting);
    },
  );

  test("a missing passphrase admits nobody, and the page explains how to set one", async () => {
    const url = authorizeUrl(await registeredClientId());
    const settings = { ACCESS_PASSPHRASE: "" };
    const page = await askWith(settings, url, { headers: HTML });
    expect(page.status).toBe(503);
    const html = await page.text();
    expect(html).toContain("wrangler secret put ACCESS_PASSPHRASE");
    expect(html).not.toContain("<form");

    const body = new URLSearchParams({ handle: "x", decision: "approve", passphrase: "" });
    const answer = await askWith(settings, `${PUBLIC_URL}/authorize`, { method: "POST", body });
    expect(answer.status).toBe(503);
  });
});

describe("the start page", () => {
  test("shows the connector URL and how to connect", async () => {
    const response = await exports.default.fetch(`${PUBLIC_URL}/`);
    expect(response.status).toBe(200);
    expect(response.headers.get("X-Frame-Options")).toBe("DENY");
    const html = await response.text();
    expect(html).toContain(`value="${PUBLIC_URL}/mcp"`);
    expect(html).toContain(`claude mcp add --transport http n8n-observer ${PUBLIC_URL}/mcp`);
  });

  const incomplete = {
    PUBLIC_URL: "",
    N8N_BASE_URL: "",
    N8N_API_KEY: "",
    ACCESS_PASSPHRASE: "",
    SERVICE_TOKENS: "",
  };

  test("names what is missing on loopback, and how to set it", async () => {
    const html = await (await askWith(incomplete, "http://localhost:8787/")).text();
    expect(html).toContain("<code>N8N_BASE_URL</code>");
    expect(html).toContain("<code>ACCESS_PASSPHRASE</code>");
    expect(html).toContain('value="http://localhost:8787/mcp"');
  });

  test("of a deployed server lists what is left to do, step by step", async () => {
    const html = await (await askWith({ ...incomplete, PUBLIC_URL }, `${PUBLIC_URL}/`)).text();
    expect(html).toContain("1. Where n8n is: to do");
    expect(html).toContain("2. Who may sign in: to do");
    for (const name of ["N8N_BASE_URL", "N8N_API_KEY", "ACCESS_PASSPHRASE"])
      expect(html).toContain(`npx wrangler secret put ${name}`);
    expect(html).not.toContain("Connector URL");
  });

  test("does not repeat finished steps", async () => {
    const settings = { ACCESS_PASSPHRASE: "", SERVICE_TOKENS: "" };
    const html = await (await askWith(settings, `${PUBLIC_URL}/`)).text();
    expect(html).toContain("1. Where n8n is: done");
    expect(html).not.toContain("N8N_API_KEY");
    expect(html).toContain("npx wrangler secret put ACCESS_PASSPHRASE");
  });

  test("tells strangers neither which setting is wrong, nor how, nor any value", async () => {
    const settings = {
      N8N_BASE_URL: "http://n8n-internal-4711.example",
      N8N_HEADERS: "canary-4711",
      SERVICE_TOKENS: "canary-4711",
      REDACT_PATTERNS: "(canary-4711",
    };
    const html = await (await askWith(settings, `${PUBLIC_URL}/`)).text();
    expect(html).toContain("1. Where n8n is: to do");
    expect(html).toContain("3. Another setting: to do");
    expect(html).not.toMatch(/4711|N8N_HEADERS|SERVICE_TOKENS|REDACT_PATTERNS/);
    // Sign-in and n8n work, so the rest concerns only the operator.
    const ready = await (await askWith({ REDACT_PATTERNS: "(canary-4711" }, `${PUBLIC_URL}/`)).text();
    expect(ready).toContain("not fully configured");
    expect(ready).not.toMatch(/4711|REDACT_PATTERNS/);
  });

  test("of a server for service tokens only is ready", async () => {
    const html = await (await askWith({ ACCESS_PASSPHRASE: "" }, `${PUBLIC_URL}/`)).text();
    expect(html).toContain("Connector URL");
    expect(html).not.toContain("not fully configured");
    expect(html).not.toContain("A page of this server opens");
    expect(html).toContain("only an app with a service token can connect");
  });

  test.each([
    ["an unconfigured host, as in DNS rebinding", { PUBLIC_URL: "" }, "https://evil.example/"],
    ["another host", { PUBLIC_URL }, "https://evil.example/"],
    ["another port", { PUBLIC_URL }, "https://observer.example:8443/"],
    ["loopback, if another address is set", { PUBLIC_URL }, "http://localhost:8787/"],
  ])("does not answer %s", async (_, settings, url) => {
    const response = await askWith(settings, url, { headers: HTML });
    expect(response.status).toBe(421);
    expect(await response.text()).not.toContain("Connector URL");
  });

  test("does not answer a hostile Host header, even with a malformed PUBLIC_URL", async () => {
    for (const PUBLIC_URL of ["", "http://observer.example"]) {
      const request = new Request("http://localhost:8787/", { headers: { ...HTML, Host: "evil.example" } });
      const settings: Env & Record<string, unknown> = { ...env, PUBLIC_URL };
      const response = await worker.fetch(request, settings, createExecutionContext());
      expect(response.status).toBeGreaterThan(400);
    }
  });

  test("names a malformed PUBLIC_URL on loopback", async () => {
    const html = await (
      await askWith({ PUBLIC_URL: "http://observer.example" }, "http://localhost:8787/")
    ).text();
    expect(html).toContain("<code>PUBLIC_URL</code>");
  });

  test("never shows a value", async () => {
    const settings = { N8N_API_KEY: "key with spaces 4711", SERVICE_TOKENS: "bad 4711", PUBLIC_URL: "" };
    const html = await (await askWith(settings, "http://localhost:8787/")).text();
    expect(html).not.toContain("4711");
    expect(html).not.toContain(PASSPHRASE);
  });
});

describe("an unknown path", () => {
  test("gets a page in a browser and JSON otherwise", async () => {
    const page = await exports.default.fetch(`${PUBLIC_URL}/nowhere`, { headers: HTML });
    expect(page.status).toBe(404);
    expect(await page.text()).toContain("What to do");
    const json = await exports.default.fetch(`${PUBLIC_URL}/nowhere`);
    expect(json.status).toBe(404);
    expect(await json.json()).toMatchObject({ error: "not_found" });
  });

  test("the connector URL in a browser explains itself, and still challenges", async () => {
    const response = await exports.default.fetch(`${PUBLIC_URL}/mcp`, { headers: HTML });
    expect(response.status).toBe(401);
    expect(response.headers.get("WWW-Authenticate")).toContain("resource_metadata=");
    expect(await response.text()).toContain("for MCP clients");
  });
});

describe("problems of the settings", () => {
  const ASKED = { headers: { Accept: "application/json" } };

  test("are told to a program on loopback, each with a solution", async () => {
    const settings = {
      PUBLIC_URL: "",
      N8N_BASE_URL: "https://n8n.example",
      N8N_API_KEY: "",
      ACCESS_PASSPHRASE: "short",
    };
    const response = await askWith(settings, "http://localhost:8787/", ASKED);
    const { settingProblems } = await response.json<{ settingProblems: { setting: string }[] }>();
    expect(settingProblems.map(({ setting }) => setting)).toEqual(["N8N_API_KEY", "ACCESS_PASSPHRASE"]);
    expect(settingProblems[0]).toMatchObject({ problem: expect.any(String), solution: expect.any(String) });
  });

  test("are told to nobody elsewhere", async () => {
    const settings = { N8N_BASE_URL: "https://n8n.example", N8N_API_KEY: "", ACCESS_PASSPHRASE: "short" };
    const response = await askWith(settings, `${PUBLIC_URL}/`, ASKED);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toContain("text/html");
    expect(await response.text()).not.toMatch(/settingProblems|too short|is missing/);
  });
});

describe("the logs", () => {
  let logs: MockInstance[] = [];
  beforeEach(() => {
    logs = (["log", "info", "warn", "error", "debug"] as const).map((level) => vi.spyOn(console, level));
  });
  afterEach(() => {
    for (const log of logs) log.mockRestore();
  });
  const logged = () => JSON.stringify(logs.flatMap((log) => log.mock.calls));

  test("contain no tokens, passphrase or queries, whatever goes wrong", async () => {
    const token = await obtainAccessToken();
    await callMcp({ Authorization: `Bearer ${token}x` });
    await register({ grant_types: ["canary-grant"] });
    await callMcp({ Authorization: `Bearer ${SERVICE_TOKEN.readOnly}x` });
    await new Browser().open(authorizeUrl("no-such-client", { state: "canary-state" }));
    await new Browser().post({ handle: "canary-handle", decision: "approve", passphrase: PASSPHRASE });
    const body = new URLSearchParams({
      grant_type: "canary-grant",
      client_id: "canary-client",
      code: "canary-code",
    });
    await exports.default.fetch(`${PUBLIC_URL}/token?code=canary-query`, { method: "POST", body });
    expect(logged()).toContain("oauth_error");
    for (const secret of ["canary", token, SERVICE_TOKEN.readOnly, PASSPHRASE]) {
      expect(logged()).not.toContain(secret);
    }
  });

  test("a bug shows an incident id, and its message is neither sent nor logged", async () => {
    const brokenStore = new Proxy(env.OAUTH_KV, {
      get: () => () => Promise.reject(new Error("canary-message")),
    });
    const request = new Request(authorizeUrl("some-client"));
    const response = await worker.fetch(request, { ...env, OAUTH_KV: brokenStore }, createExecutionContext());
    expect(response.status).toBe(500);
    const text = await response.text();
    const incident = /incident ([0-9a-f]{8})/.exec(text)?.[1];
    expect(incident).toBeDefined();
    expect(logged()).toContain(incident);
    expect(text + logged()).not.toContain("canary-message");
  });
});
