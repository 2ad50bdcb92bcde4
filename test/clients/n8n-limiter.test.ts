/** The limiter's slots in the running Worker are freed when a client disconnects or n8n misbehaves. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { type AgentClient, connectModern } from "../support/agent-client.ts";
import { mcpPost, toolCall } from "../support/mcp-post.ts";
import { SERVICE_TOKEN, startTestWorker, type TestWorker } from "../support/test-worker.ts";

const OTHER_TOKEN = "service-token-of-another-user-0123456789";
/** A slot whose client has gone is free within this time, long before its lease ends. */
const GONE_MS = 2_000;

let n8n: RecordedN8n;
let worker: TestWorker;
let other: AgentClient;

beforeAll(async () => {
  n8n = await startRecordedN8n({ multiplyTo: 1_000 });
  worker = await startTestWorker(n8n, { other: OTHER_TOKEN }, { settings: { N8N_MAX_CONCURRENT: "2" } });
  other = await connectModern(worker.mcpUrl, OTHER_TOKEN, "auto");
});
afterAll(async () => {
  await other.close();
  await worker.stop();
  await n8n.close();
});
afterEach(() => n8n.faults.clear());

/**
 * Starts a trace, and disconnects at the first progress notification. The runtime notices at the next notification, so
 * there has to be another page.
 */
async function traceAndGoAway(): Promise<void> {
  const gone = new AbortController();
  const { method, params } = toolCall("trace_request", { requestId: "never-sent" });
  const message = { method, params: { ...params, _meta: { progressToken: 1 } } };
  const init = mcpPost(SERVICE_TOKEN, message);
  const { body } = await fetch(worker.mcpUrl, { ...init, signal: gone.signal });
  if (body === null) throw new Error("There is no answer.");
  let received = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    received += chunk;
    if (received.includes("notifications/progress")) break;
  }
  gone.abort();
}

test("a client that disconnects frees its slots, even while n8n does not answer one request", async () => {
  n8n.faults.once({ kind: "hang" }, /includeData=true.*cursor=/);
  n8n.faults.always({ kind: "slow", milliseconds: 200 });
  await traceAndGoAway();
  await sleep(GONE_MS);
  // The two calls take under 7.9 s only if both slots are free.
  n8n.faults.clear();
  n8n.faults.always({ kind: "slow", milliseconds: 4_000 });
  const begun = Date.now();
  const calls = [1, 2].map((id) => other.call("get_execution", { id: String(id) }));
  for (const { isError } of await Promise.all(calls)) expect(isError).toBe(false);
  expect(Date.now() - begun).toBeLessThan(7_900);
}, 40_000);

test("a malformed answer frees its slot", async () => {
  for (const kind of ["html", "broken-json", "cut", "html", "broken-json"] as const) {
    n8n.faults.once({ kind });
    // A broken connection is retried.
    expect((await other.call("get_execution", { id: "1" })).isError).toBe(kind !== "cut");
  }
  expect((await other.call("get_execution", { id: "1" })).isError).toBe(false);
}, 20_000);

test("while n8n is rate limiting, other users' calls are refused too, with a code of their own", async () => {
  const mine = await connectModern(worker.mcpUrl, SERVICE_TOKEN, "auto");
  n8n.faults.once({ kind: "status", status: 429, headers: { "retry-after": "30" } });
  const first = await other.call("get_execution", { id: "1" });
  expect(first.envelope.data).toMatchObject({ code: "N8N_RATE_LIMITED", details: { retryAfter: 30 } });
  const asked = n8n.requests.length;
  const second = await mine.call("get_execution", { id: "1" });
  expect(second.envelope.data).toMatchObject({ code: "RATE_LIMITED" });
  expect(Number(Reflect.get(Object(second.envelope.data.details), "retryAfter"))).toBeGreaterThan(20);
  expect(n8n.requests).toHaveLength(asked);
  await mine.close();
}, 20_000);
