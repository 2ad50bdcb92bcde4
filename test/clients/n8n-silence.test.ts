/**
 * An n8n that never answers, seen through the running Worker: its own time-outs pass by, so it takes half a minute.
 *
 * @module-tag heavy
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { type AgentClient, connectModern } from "../support/agent-client.ts";
import { SERVICE_TOKEN, startTestWorker, type TestWorker } from "../support/test-worker.ts";

let n8n: RecordedN8n;
let worker: TestWorker;
let client: AgentClient;

beforeAll(async () => {
  n8n = await startRecordedN8n();
  worker = await startTestWorker({ baseUrl: n8n.baseUrl, apiKey: n8n.apiKey });
  client = await connectModern(worker.mcpUrl, SERVICE_TOKEN, "auto");
});
afterAll(async () => {
  await client.close();
  await worker.stop();
  await n8n.close();
});

test("silence ends by time-out, for every tool; a third request at the same time is not sent", async () => {
  n8n.faults.always({ kind: "hang" });
  const calls = [
    client.call("get_execution", { id: "1" }),
    client.call("trace_request", { requestId: "req-100" }),
    client.call("list_workflows"),
  ];
  const codes = (await Promise.all(calls)).map(({ envelope }) => envelope.data.code);
  expect(codes.sort()).toEqual(["N8N_TIMEOUT", "N8N_TIMEOUT", "RATE_LIMITED"]);
});
