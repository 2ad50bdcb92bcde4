/**
 * An n8n that never answers, seen through the running Worker. It takes half a minute, as real time-outs have to pass.
 *
 * @module-tag heavy
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentClient, connectModern } from "../support/agent-client.ts";
import { useRecordedWorker } from "../support/recorded-worker.ts";
import { SERVICE_TOKEN } from "../support/test-worker.ts";

const server = useRecordedWorker();
let client: AgentClient;

beforeAll(async () => {
  client = await connectModern(server.worker.mcpUrl, SERVICE_TOKEN, "auto");
});
afterAll(async () => {
  await client.close();
});

test("each call ends by time-out, and a third one at the same time is refused", async () => {
  server.n8n.faults.always({ kind: "hang" });
  const calls = [
    client.call("get_execution", { id: "1" }),
    client.call("trace_request", { requestId: "req-100" }),
    client.call("list_workflows"),
  ];
  const codes = (await Promise.all(calls)).map(({ envelope }) => envelope.data.code);
  expect(codes.sort()).toEqual(["N8N_TIMEOUT", "N8N_TIMEOUT", "RATE_LIMITED"]);
});
