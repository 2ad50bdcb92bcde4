/** Routes open to everybody besides the start page: they reveal nothing of n8n, and ask it nothing. */
import { exports } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { TOOLS } from "../../src/features/index.ts";
import { VERSION } from "../../src/platform/version.ts";
import { ACCESS_TOKEN_SECONDS } from "../../src/sign-in/registration/client-retention.ts";
import { mcpPost, readMessage } from "../support/mcp-post.ts";
import { askWith } from "./ask-with.ts";
import { HOST } from "./mcp-call.ts";
import { resetAfterEach } from "./reset.ts";
import { N8N_API_KEY, N8N_ORIGIN, PASSPHRASE, PUBLIC_URL, SERVICE_TOKEN } from "./secrets.ts";
import { Browser } from "./sign-in/browser.ts";
import { exchangeCode, obtainCode, registeredClientId } from "./sign-in/client.ts";

resetAfterEach();

const get = (path: string, init: RequestInit = {}): Promise<Response> =>
  exports.default.fetch(`${PUBLIC_URL}${path}`, init);

const ROUTES = [
  ["/health", "application/json"],
  ["/privacy", "text/html; charset=utf-8"],
  ["/llms.txt", "text/plain; charset=utf-8"],
  ["/icon.svg", "image/svg+xml"],
  ["/icon.png", "image/png"],
  ["/favicon.ico", "image/x-icon"],
] as const;

describe.each(ROUTES)("%s", (path, type) => {
  test("answers without a token, and HEAD without a body", async () => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe(type);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(10);
    const head = await get(path, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(head.headers.get("Content-Type")).toBe(type);
    expect(await head.text()).toBe("");
  });

  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("refuses %s", async (method) => {
    const response = await get(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("Allow")).toBe("GET, HEAD");
  });

  test("neither asks n8n nor reveals anything of it", async () => {
    const asked = vi.spyOn(globalThis, "fetch");
    const text = new TextDecoder().decode(await (await get(path)).arrayBuffer());
    expect(asked).not.toHaveBeenCalled();
    for (const secret of [new URL(N8N_ORIGIN).host, N8N_API_KEY, PASSPHRASE])
      expect(text).not.toContain(secret);
  });
});

describe("/health", () => {
  const health = async (settings: Record<string, string>, url = `${PUBLIC_URL}/health`) => {
    const response = await askWith(settings, url);
    return {
      status: response.status,
      body: await response.text(),
      caching: response.headers.get("Cache-Control"),
    };
  };

  test("is ok while every setting is usable, at any address", async () => {
    for (const url of [`${PUBLIC_URL}/health`, "http://127.0.0.1:8787/health"])
      expect(await health({}, url)).toEqual({ status: 200, body: '{"status":"ok"}', caching: "no-store" });
  });

  test.each([
    ["no n8n", { N8N_BASE_URL: "" }],
    ["no key", { N8N_API_KEY: "" }],
    ["a malformed address", { PUBLIC_URL: "http://observer.example" }],
    ["an unconfigured host", { PUBLIC_URL: "" }],
    ["a malformed token", { SERVICE_TOKENS: "canary-4711" }],
    ["a malformed limit", { AUDIT_DAYS: "canary-4711" }],
    ["no way to sign in", { ACCESS_PASSPHRASE: "", SERVICE_TOKENS: "" }],
  ])("is unavailable with %s, and does not say why", async (_, settings) => {
    expect(await health(settings)).toEqual({
      status: 503,
      body: '{"status":"unavailable"}',
      caching: "no-store",
    });
  });

  test("is ok for a server for headless clients only", async () => {
    expect((await health({ ACCESS_PASSPHRASE: "" })).status).toBe(200);
  });
});

describe("/privacy", () => {
  const textOf = async (response: Response): Promise<string> =>
    (await response.text()).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");

  test("is a page like any other: no scripts, no framing, no storage", async () => {
    const { headers } = await get("/privacy");
    expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    expect(headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("X-Frame-Options")).toBe("DENY");
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.has("Set-Cookie")).toBe(false);
  });

  test("states the configured times", async () => {
    expect(await textOf(await get("/privacy"))).toContain("30 days (AUDIT_DAYS)");
    const settings = { AUDIT_DAYS: "7", INDEX_MAX_EXECUTIONS: "12000" };
    const text = await textOf(await askWith(settings, `${PUBLIC_URL}/privacy`));
    expect(text).toContain("7 days (AUDIT_DAYS)");
    expect(text).toContain("INDEX_MAX_EXECUTIONS, 12,000");
  });

  test("states the real lifetime of an access token", async () => {
    const clientId = await registeredClientId();
    const code = await obtainCode(new Browser(), clientId);
    const { expires_in: seconds } = await (await exchangeCode(clientId, code)).json<{ expires_in: number }>();
    expect(seconds).toBe(ACCESS_TOKEN_SECONDS);
    expect(await textOf(await get("/privacy"))).toContain(`an access token ${seconds / 3600} hour;`);
  });

  test("works with a malformed setting", async () => {
    const response = await askWith({ AUDIT_DAYS: "canary-4711" }, `${PUBLIC_URL}/privacy`);
    expect(response.status).toBe(200);
    expect(await response.text()).not.toContain("canary-4711");
  });
});

test.each(["/privacy", "/llms.txt"])("%s answers only at its own address", async (path) => {
  const response = await askWith({}, `https://evil.example${path}`);
  expect(response.status).toBe(421);
});

test("/llms.txt names the endpoint and every tool", async () => {
  const text = await (await get("/llms.txt")).text();
  expect(text).toMatch(/^# n8n-observer\n\n> /);
  expect(text).toContain("- Begin with `explain_failure` when the question is why");
  expect(text).toContain(`${PUBLIC_URL}/mcp`);
  for (const { name } of TOOLS) expect(text).toContain(`- \`${name}\`: `);
});

describe("the icon", () => {
  test("is cached for a week, and runs nothing", async () => {
    for (const path of ["/icon.svg", "/icon.png", "/favicon.ico"]) {
      const { headers } = await get(path);
      expect(headers.get("Cache-Control")).toBe("public, max-age=604800");
      expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    }
    expect(await (await get("/icon.svg")).text()).not.toMatch(/<script|href|on\w+=/);
  });

  test("has the declared sizes", async () => {
    const png = new DataView(await (await get("/icon.png")).arrayBuffer());
    // Width and height follow the signature and the header of the first chunk.
    expect([png.getUint32(0), png.getUint32(16), png.getUint32(20)]).toEqual([0x89504e47, 96, 96]);
    const ico = new DataView(await (await get("/favicon.ico")).arrayBuffer());
    expect([ico.getUint16(2, true), ico.getUint16(4, true), ico.getUint8(6), ico.getUint8(7)]).toEqual([
      1, 1, 32, 32,
    ]);
    expect(ico.getUint32(18, true) + ico.getUint32(14, true)).toBe(ico.byteLength);
    expect(ico.getUint32(ico.getUint32(18, true))).toBe(0x89504e47);
  });

  test("is the one announced to clients, with this version and address", async () => {
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    };
    const init = mcpPost(SERVICE_TOKEN.readOnly, { method: "initialize", params }, HOST);
    expect(await readMessage(await get("/mcp", init))).toMatchObject({
      result: {
        serverInfo: {
          version: VERSION,
          websiteUrl: `${PUBLIC_URL}/`,
          icons: [{ src: `${PUBLIC_URL}/icon.svg` }, { src: `${PUBLIC_URL}/icon.png`, sizes: ["96x96"] }],
        },
      },
    });
  });
});
