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

test("each call ends by time-out, and one that finds no slot free is refused", async () => {
  server.n8n.faults.always({ kind: "hang" });
  const calls = ["1", "3", "5", "7", "9"].map(async (id) => await client.call("get_execution", { id }));
  const codes = (await Promise.all(calls)).map(({ envelope }) => envelope.data.code);
  expect(codes.sort()).toEqual([...Array.from({ length: 4 }, () => "N8N_TIMEOUT"), "RATE_LIMITED"]);
});
