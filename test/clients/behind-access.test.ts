/**
 * n8n behind a proxy that requires two headers, as Cloudflare Access does, seen through the running Worker: with
 * `N8N_HEADERS` everything works, without them the error names the fix, and requests go only to the proxy.
 */
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import {
  ACCESS_HEADERS,
  type AccessProxy,
  CLIENT_SECRET,
  startAccessProxy,
} from "../support/access-proxy.ts";
import { type AgentClient, type Answer, connectModern } from "../support/agent-client.ts";
import { listenOnLoopback, stopServer } from "../support/loopback-server.ts";
import { SERVICE_TOKEN, startTestWorker, type TestWorker } from "../support/test-worker.ts";

let n8n: RecordedN8n;
let proxy: AccessProxy;
let logIn: Server;
const reachedLogIn: string[] = [];

beforeAll(async () => {
  n8n = await startRecordedN8n();
  logIn = createServer((request, response) => {
    reachedLogIn.push(request.url ?? "");
    response.end("{}");
  });
  proxy = await startAccessProxy(n8n.baseUrl, await listenOnLoopback(logIn));
});
afterAll(async () => {
  await proxy.close();
  await stopServer(logIn);
  await n8n.close();
});

/** Runs calls on a Worker of its own with this `N8N_HEADERS`. */
async function withHeaders(
  headers: string | undefined,
  run: (call: AgentClient["call"], worker: TestWorker) => Promise<void>,
): Promise<void> {
  const settings = headers === undefined ? {} : { N8N_HEADERS: headers };
  const worker = await startTestWorker({ baseUrl: proxy.baseUrl, apiKey: n8n.apiKey }, {}, { settings });
  try {
    const client = await connectModern(worker.mcpUrl, SERVICE_TOKEN, "auto");
    await run(client.call, worker);
    await client.close();
  } finally {
    await worker.stop();
  }
}

/** The answers of a trace and two tools. */
async function refusals(call: AgentClient["call"]): Promise<readonly Answer[]> {
  return [
    await call("trace_request", { requestId: "req-100" }),
    await call("list_workflows"),
    await call("get_execution", { id: "1" }),
  ];
}

test("with both headers a trace works, and they appear nowhere", async () => {
  const headers = Object.entries(ACCESS_HEADERS)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
  await withHeaders(headers, async (call, worker) => {
    const { envelope, text } = await call("trace_request", { requestId: "req-100" });
    expect(envelope.data).toMatchObject({ found: true, outcome: "success", coverage: { complete: true } });
    const checked = await call("check_connection");
    expect(checked.envelope.data).toMatchObject({ ready: true });
    for (const shown of [text, checked.text, worker.output()]) expect(shown).not.toContain(CLIENT_SECRET);
  });
  expect(proxy.requests.length).toBeGreaterThan(2);
  expect(proxy.requests.every(({ admitted }) => admitted)).toBe(true);
}, 120_000);

test("without them each call names Access and the fix, and nothing reaches n8n or the login page", async () => {
  n8n.requests.length = 0;
  await withHeaders(undefined, async (call) => {
    for (const { isError, envelope } of await refusals(call)) {
      expect(isError).toBe(true);
      expect(envelope.data).toMatchObject({
        code: "N8N_FORBIDDEN",
        message: expect.stringContaining("Cloudflare Access"),
        details: { field: "N8N_HEADERS", solution: expect.stringContaining("CF-Access-Client-Secret") },
      });
    }
  });
  expect(proxy.requests.at(-1)).toMatchObject({ admitted: false });
  expect(n8n.requests).toEqual([]);
  expect(reachedLogIn).toEqual([]);
}, 120_000);

test("a line break in a header's value is a clear error, without a request", async () => {
  proxy.requests.length = 0;
  const headers = JSON.stringify({ "CF-Access-Client-Id": "a\r\nX-N8N-API-KEY: b" });
  await withHeaders(headers, async (call) => {
    for (const { envelope } of await refusals(call))
      expect(envelope.data).toMatchObject({
        code: "CONFIGURATION_ERROR",
        details: { field: "N8N_HEADERS", solution: expect.stringMatching(/./) },
      });
  });
  expect(proxy.requests).toEqual([]);
}, 120_000);
