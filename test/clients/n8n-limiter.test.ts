/** Slots at n8n through the running Worker: what becomes of them when something ends that should not. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { type AgentClient, connectModern } from "../support/agent-client.ts";
import { SERVICE_TOKEN, startTestWorker, type TestWorker } from "../support/test-worker.ts";

const OTHER_TOKEN = "service-token-of-another-user-0123456789";
/** A slot that nobody ends is another's once its lease is over; one whose client has gone is long before. */
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
 * Traces, and goes away when told of the first page. The runtime notices at the next thing it would tell, so
 * there has to be a further page.
 */
async function traceAndGoAway(): Promise<void> {
  const gone = new AbortController();
  const { body } = await fetch(worker.mcpUrl, {
    method: "POST",
    signal: gone.signal,
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Authorization: `Bearer ${SERVICE_TOKEN}`,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "trace_request", arguments: { requestId: "never-sent" }, _meta: { progressToken: 1 } },
    }),
  });
  if (body === null) throw new Error("There is no answer.");
  let received = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    received += chunk;
    if (received.includes("notifications/progress")) break;
  }
  gone.abort();
}

test("a client that goes away gives its slots back, though n8n still hangs on one of them", async () => {
  n8n.faults.once({ kind: "hang" }, /includeData=true.*cursor=/);
  n8n.faults.always({ kind: "slow", milliseconds: 200 });
  await traceAndGoAway();
  await sleep(GONE_MS);
  // One hangs on: both slots are needed to be asked both at the same time.
  n8n.faults.clear();
  n8n.faults.always({ kind: "slow", milliseconds: 2_000 });
  const begun = Date.now();
  const calls = [1, 2].map((id) => other.call("get_execution", { id: String(id) }));
  for (const { isError } of await Promise.all(calls)) expect(isError).toBe(false);
  expect(Date.now() - begun).toBeLessThan(3_900);
}, 40_000);

test("an answer that is not what it should be gives its slot back", async () => {
  for (const kind of ["html", "broken-json", "cut", "html", "broken-json"] as const) {
    n8n.faults.once({ kind });
    // A connection that breaks is tried again.
    expect((await other.call("get_execution", { id: "1" })).isError).toBe(kind !== "cut");
  }
  expect((await other.call("get_execution", { id: "1" })).isError).toBe(false);
}, 20_000);

test("when n8n asks to be left alone, others are kept from it as well, and it keeps its own code", async () => {
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
