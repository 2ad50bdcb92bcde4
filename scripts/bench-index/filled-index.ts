/** Measures a history index that only its alarm fills, in front of a recorded n8n. */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { type AgentClient, connectModern } from "../../test/support/agent-client.ts";
import { findTestPlace, removeTestPlace, startTestWorker } from "../../test/support/test-worker.ts";
import { peakGrowth } from "../bench/measure.ts";
import { type RecordedServer, startRecordedServer } from "../bench/servers.ts";
import { timedCall, tokensOf } from "../bench/users.ts";
import { processorMs } from "../bench-calls/processor-time.ts";
import { readStorage } from "./storage.ts";

const USERS = 24;
const TRACES = 100;
const SEARCHES = 8;
/** A word in the data of webhooks: two of three recorded executions have it. */
const COMMON = "production";
const MAX_HITS = 50;
/** Running executions of the recording, which every trace reads. */
const RUNNING = 5;
const SAMPLE_EVERY_BYTES = 4 * 1024 * 1024;
const POLL_MS = 2_000;
const TRACE_EVERY_POLLS = 3;
const PATIENCE_MS = 60 * 60_000;
const SETTINGS = { INDEX_INTERVAL: "60", INDEX_DAYS: "3650", INDEX_MAX_EXECUTIONS: "5000000" };

const checks = z.looseObject({ checks: z.array(z.looseObject({ check: z.string(), detail: z.string() })) });
const traced = z.looseObject({
  found: z.boolean(),
  coverage: z.looseObject({ complete: z.boolean(), readNow: z.number() }),
});

/** Waits until the index is filled, and traces a new request now and then. */
async function watchFill(client: AgentClient, { newest }: RecordedServer) {
  const started = performance.now();
  const traces: number[] = [];
  for (let polls = 1; performance.now() - started < PATIENCE_MS; polls += 1) {
    const { envelope } = await client.call("check_connection");
    const line = checks.parse(envelope.data).checks.find(({ check }) => check === "history index");
    if (line?.detail.includes("all that n8n has") === true)
      return { fillMs: performance.now() - started, tracesMeanwhile: traces };
    await sleep(POLL_MS);
    if (polls % TRACE_EVERY_POLLS === 0) traces.push(await trace(client, newest));
  }
  throw new Error(`The index was not filled within ${PATIENCE_MS} ms.`);
}

/** @throws Error unless the request is found without reading ended executions */
async function trace(
  client: AgentClient,
  { requestId, startedAfter }: { readonly requestId: string; readonly startedAfter?: string },
): Promise<number> {
  const args = { requestId, ...(startedAfter === undefined ? {} : { startedAfter }) };
  const { milliseconds, data } = await timedCall(client, "trace_request", args);
  const { found, coverage } = traced.parse(data);
  if (found && coverage.complete && coverage.readNow <= RUNNING) return milliseconds;
  throw new Error(`The trace of ${requestId} is wrong: ${JSON.stringify({ found, coverage })}`);
}

const searched = z.looseObject({
  hits: z.array(z.looseObject({ executionId: z.string() })),
  coverage: z.looseObject({ complete: z.boolean(), readNow: z.number() }),
});

/** `read`: how many executions it read to check possible hits. */
async function search(client: AgentClient, target: Readonly<Record<string, string>>) {
  const args = { ...target, maxHits: MAX_HITS };
  const { milliseconds, data } = await timedCall(client, "search_executions", args);
  const { hits, coverage } = searched.parse(data);
  const ids = hits.map(({ executionId }) => executionId);
  return { milliseconds, read: coverage.readNow, hits: ids, complete: coverage.complete };
}

type Searched = Awaited<ReturnType<typeof search>>;

/** @throws Error if a search misses an existing value, or finds an absent one */
async function measureSearches(clients: readonly AgentClient[], { oldest }: RecordedServer) {
  const [rare, absent, common]: [Searched[], Searched[], Searched[]] = [[], [], []];
  for (const [index, client] of clients.slice(0, SEARCHES).entries()) {
    const request = oldest[index % oldest.length];
    if (request === undefined) throw new Error("There is nothing to search for.");
    const found = await search(client, { path: "requestId", value: request.requestId });
    if (!found.complete || !found.hits.some((id) => request.executionIds.includes(id)))
      throw new Error(`The search for ${request.requestId} is wrong: ${JSON.stringify(found)}`);
    rare.push(found);
    absent.push(await search(client, { words: `absent${index}` }));
    common.push(await search(client, { words: COMMON }));
  }
  if (absent.some(({ complete, hits }) => !complete || hits.length > 0))
    throw new Error(`A search for what is nowhere is wrong: ${JSON.stringify(absent)}`);
  if (common.some(({ hits }) => hits.length < MAX_HITS))
    throw new Error(`A search for what is everywhere is wrong: ${JSON.stringify(common)}`);
  return { rare, absent, common };
}

async function measureCalls(clients: readonly AgentClient[], { oldest }: RecordedServer, smallId: string) {
  const reads: number[] = [];
  const traces: number[] = [];
  for (let call = 0; call < TRACES; call += 1) {
    const [client, request] = [clients[call % clients.length], oldest[call % oldest.length]];
    if (client === undefined || request === undefined) throw new Error("There is nothing to trace.");
    reads.push((await timedCall(client, "get_execution", { id: smallId })).milliseconds);
    traces.push(await trace(client, request));
  }
  return { reads, traces };
}

export type FilledIndex = Awaited<ReturnType<typeof measureFilledIndex>>;

/**
 * Times are milliseconds: `fillMs` until the index knew everything, `processor` of workerd until then, `reads` of a
 * small execution, `traces`, `tracesMeanwhile` of a new request during the fill, `atOnce` of each user's first trace at
 * the same moment, and of searches for a rare, an absent and a common value.
 */
export async function measureFilledIndex(executions: number) {
  await using resources = new AsyncDisposableStack();
  const server = resources.use(await startRecordedServer(executions));
  const place = resources.adopt(await findTestPlace(), removeTestPlace);
  const tokens = tokensOf("bench", USERS);
  const worker = await startTestWorker(server.n8n, tokens, { settings: SETTINGS, place });
  const measured = await (async () => {
    try {
      const clients = await Promise.all(
        Object.values(tokens).map(async (token) => await connectModern(worker.mcpUrl, token, "auto")),
      );
      const [first, ...others] = clients;
      if (first === undefined) throw new Error("There are no users.");
      const filled = await watchFill(first, server);
      const processor = processorMs(worker.processId);
      // Leaves out requests whose executions are all running: the index does not know those.
      const found = server.oldest.filter(({ executionIds }) => executionIds.length > 0);
      const known = { ...server, oldest: found };
      const [oldest] = found;
      if (oldest === undefined) throw new Error("The oldest copy holds no request.");
      const atOnce = await Promise.all(others.map(async (client) => await trace(client, oldest)));
      const calls = await measureCalls(others, known, oldest.executionIds[0] ?? "1");
      const searches = await measureSearches(others, known);
      return { ...filled, processor, atOnce, ...calls, ...searches };
    } finally {
      await worker.stop();
    }
  })();
  return { executions, ...measured, storage: await readStorage(place.directory) };
}

/** Peak memory outside SQLite, in bytes, while an index of this many executions fills itself. */
export async function measureHeld(executions: number): Promise<number> {
  await using server = await startRecordedServer(executions);
  return await peakGrowth({
    n8n: server.n8n,
    holder: { what: "index", executions },
    samples: "live",
    everyBytes: SAMPLE_EVERY_BYTES,
  });
}
