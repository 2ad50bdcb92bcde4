/** The page sizes of a search in the running Worker, for a user alone and for two users. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { type AgentClient, connectModern } from "../support/agent-client.ts";
import { isDataPage } from "../support/fake-n8n.ts";
import { startTestWorker } from "../support/test-worker.ts";

const EXECUTIONS = 60;
const TOKENS = { anna: "service-token-of-anna-0123456789", bert: "service-token-of-bert-0123456789" };

let n8n: Awaited<ReturnType<typeof startRecordedN8n>>;
let worker: Awaited<ReturnType<typeof startTestWorker>>;
let anna: AgentClient;
let bert: AgentClient;

beforeAll(async () => {
  n8n = await startRecordedN8n({ multiplyTo: EXECUTIONS });
  worker = await startTestWorker(n8n, TOKENS);
  anna = await connectModern(worker.mcpUrl, TOKENS.anna, "auto");
  bert = await connectModern(worker.mcpUrl, TOKENS.bert, "auto");
}, 120_000);

afterAll(async () => {
  await Promise.all([anna.close(), bert.close()]);
  await worker.stop();
  await n8n.close();
});

/** The largest page with data that a search of all executions asks for. */
async function largestPageOf(client: AgentClient, text: string): Promise<number> {
  const before = n8n.requests.length;
  const { isError } = await client.call("search_executions", { text });
  expect(isError).toBe(false);
  const pages = n8n.requests
    .slice(before)
    .map(({ path }) => new URL(path, "http://n8n"))
    .filter(isDataPage);
  return Math.max(...pages.map(({ searchParams }) => Number(searchParams.get("limit"))));
}

test("a search requests large pages for a single user, and small ones while another user calls", async () => {
  await anna.call("trace_request", { requestId: "never-sent" });
  // A part of a word is in no filter, so all executions are read.
  expect(await largestPageOf(anna, "q17z")).toBeGreaterThan(25);
  await bert.call("trace_request", { requestId: "never-sent" });
  expect(await largestPageOf(anna, "q18z")).toBe(25);
});
