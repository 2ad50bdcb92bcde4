/** A history index that fills itself, by its alarm alone, in front of a recorded n8n of so many executions. */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { type AgentClient, connectModern } from "../../test/support/agent-client.ts";
import { findTestPlace, removeTestPlace, startTestWorker } from "../../test/support/test-worker.ts";
import { peakGrowth } from "../bench/measure.ts";
import { type RecordedServer, startRecordedServer } from "../bench/servers.ts";
import { timedCall, tokensOf } from "../bench/users.ts";
import { readStorage } from "./storage.ts";

const USERS = 24;
const CALLS_OF_USER = 3;
const SEARCHES = 8;
/** Of the recording: what runs is read each time. */
const RUNNING = 5;
const SAMPLE_EVERY_BYTES = 4 * 1024 * 1024;
const POLL_MS = 2_000;
const PATIENCE_MS = 30 * 60_000;
const SETTINGS = { INDEX_INTERVAL: "60", INDEX_DAYS: "3650" };

const checks = z.looseObject({ checks: z.array(z.looseObject({ check: z.string(), detail: z.string() })) });
const traced = z.looseObject({
  found: z.boolean(),
  coverage: z.looseObject({ complete: z.boolean(), readNow: z.number() }),
});

async function waitUntilFilled(client: AgentClient): Promise<number> {
  const started = performance.now();
  while (performance.now() - started < PATIENCE_MS) {
    const { envelope } = await client.call("check_connection");
    const line = checks.parse(envelope.data).checks.find(({ check }) => check === "history index");
    if (line?.detail.includes("all that n8n has") === true) return performance.now() - started;
    await sleep(POLL_MS);
  }
  throw new Error(`The index was not filled within ${PATIENCE_MS} ms.`);
}

/** @throws Error unless the request is found without reading anything that had ended */
async function trace(client: AgentClient, requestId: string): Promise<number> {
  const { milliseconds, data } = await timedCall(client, "trace_request", { requestId });
  const { found, coverage } = traced.parse(data);
  if (found && coverage.complete && coverage.readNow <= RUNNING) return milliseconds;
  throw new Error(`The trace of ${requestId} is wrong: ${JSON.stringify({ found, coverage })}`);
}

const searched = z.looseObject({
  hits: z.array(z.looseObject({ executionId: z.string() })),
  coverage: z.looseObject({ complete: z.boolean(), readNow: z.number() }),
});

/** @throws Error unless the search has looked at all, and found what there is */
async function search(
  client: AgentClient,
  { requestId, executionIds }: RecordedServer["oldest"][number],
): Promise<{ milliseconds: number; read: number }> {
  const { milliseconds, data } = await timedCall(client, "search_executions", {
    path: "requestId",
    value: requestId,
    maxHits: 50,
  });
  const { hits, coverage } = searched.parse(data);
  if (coverage.complete && hits.some(({ executionId }) => executionIds.includes(executionId)))
    return { milliseconds, read: coverage.readNow };
  throw new Error(`The search for ${requestId} is wrong: ${JSON.stringify({ hits, coverage })}`);
}

async function measureSearches(clients: readonly AgentClient[], { oldest }: RecordedServer) {
  const searches: number[] = [];
  let mostCandidates = 0;
  for (const [index, client] of clients.slice(0, SEARCHES).entries()) {
    const sought = oldest[index % oldest.length];
    if (sought === undefined) continue;
    const { milliseconds, read } = await search(client, sought);
    searches.push(milliseconds);
    mostCandidates = Math.max(mostCandidates, read);
  }
  return { searches, mostCandidates };
}

async function measureCalls(clients: readonly AgentClient[], { oldest }: RecordedServer, smallId: string) {
  const reads: number[] = [];
  const traces: number[] = [];
  for (const [index, client] of clients.entries()) {
    for (let call = 0; call < CALLS_OF_USER; call += 1) {
      reads.push((await timedCall(client, "get_execution", { id: smallId })).milliseconds);
      const sought = oldest[(index + call) % oldest.length];
      if (sought !== undefined) traces.push(await trace(client, sought.requestId));
    }
  }
  return { reads, traces };
}

export type FilledIndex = Awaited<ReturnType<typeof measureFilledIndex>>;

/**
 * Times are milliseconds: until all that n8n has was known (`fillMs`), of `get_execution` of a small execution, of
 * traces, of each user's first trace at the same moment, and of searches for a request id as a whole value.
 * `mostCandidates` is how many executions one search read at most, `peakGrowth` the bytes that an index held outside
 * SQLite while it filled itself.
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
      const fillMs = await waitUntilFilled(first);
      // Running executions, which are read each time, are none of what is known.
      const found = server.oldest.filter(({ executionIds }) => executionIds.length > 0);
      const known = { ...server, oldest: found };
      const [oldest] = found;
      if (oldest === undefined) throw new Error("The oldest copy holds no request.");
      const atOnce = await Promise.all(others.map(async (client) => await trace(client, oldest.requestId)));
      const smallId = oldest.executionIds[0] ?? "1";
      const calls = await measureCalls(others, known, smallId);
      return { fillMs, atOnce, ...calls, ...(await measureSearches(others, known)) };
    } finally {
      await worker.stop();
    }
  })();
  const storage = await readStorage(place.directory);
  const { n8n } = server;
  const held = await peakGrowth({
    n8n,
    holder: { what: "index", executions: storage.executions },
    samples: "live",
    everyBytes: SAMPLE_EVERY_BYTES,
  });
  return { executions, ...measured, storage, peakGrowth: held };
}
