/**
 * The tools of the queue mode checks: requests that run as long as upstream holds their call, the truth
 * about each from PostgreSQL, and traces whose requests to n8n are counted.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { AgentClient } from "../../support/agent-client.ts";
import { chained, createWorkflow, waitForWebhook } from "../seed.ts";
import { type TestedN8n, webhookUrl } from "../tested-n8n.ts";
import { same, type TraceData, traceRequest } from "../trace-checks.ts";
import type { Upstream } from "../upstream.ts";
import type { Watch } from "../watch.ts";
import { code, httpCall, webhook } from "../workflow-parts.ts";
import type { QueueN8n } from "./boot.ts";

export interface QueueLane {
  n8n: QueueN8n;
  upstream: Upstream;
  watch: Watch;
  client: AgentClient;
}

/** The answer of a trace, and its cost. */
export interface Traced {
  data: TraceData;
  message: string;
  /** The number of calls of `trace_request` until it was found, or everything was read. */
  calls: number;
  /** The most executions that one of them read singly. */
  singleReads: number;
}

export const queueWorkflow = "orders.queue";
const path = "orders-queue";
/** The limit of single reads per look. */
export const MAX_SINGLE_READS = 20;
/** Enough for 500 queued executions, of which each call reads a part. */
const MAX_CALLS = 80;
/** The longest wait for a state of n8n, in milliseconds. */
const PATIENCE_MS = 60_000;

/** A workflow that answers at once, and runs as long as its call to upstream. */
export async function seedQueue(n8n: TestedN8n, upstream: Upstream): Promise<void> {
  await createWorkflow(
    n8n,
    { baseUrl: n8n.baseUrl, key: n8n.writeKey },
    chained(
      queueWorkflow,
      webhook(path, "onReceived"),
      code("Take order", "return [{ json: $json.body }]"),
      httpCall("Call upstream", upstream.url),
      code("Done", "return [{ json: { done: true } }]"),
    ),
  );
  await waitForWebhook(n8n, path);
}

/** Sends all at once. @throws Error when n8n refuses one of them */
export async function send(n8n: TestedN8n, requestIds: readonly string[]): Promise<void> {
  const codes = await Promise.all(
    requestIds.map(async (requestId) => {
      const response = await fetch(webhookUrl(n8n, path), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ requestId }),
      });
      await response.text();
      return response.status;
    }),
  );
  same("answers that are not 200", codes.filter((status) => status !== 200).length, 0);
}

export const idsOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index + 1).padStart(3, "0")}`);

const truthRow = z.object({ id: z.string(), status: z.string(), requestId: z.string().nullable() });
export type Truth = z.infer<typeof truthRow>;

/** Every execution, ascending. Found by its quoted id, as n8n stores each text of the data once. */
export async function readTruth({ database }: QueueN8n): Promise<Truth[]> {
  const rows = await database.ask(`SELECT coalesce(json_agg(row_to_json(found)), '[]') FROM (
    SELECT e.id::text AS id, e.status, substring(d.data FROM '"([a-z]+-[0-9]{3})"') AS "requestId"
    FROM execution_entity e JOIN execution_data d ON d."executionId" = e.id
    WHERE e."deletedAt" IS NULL ORDER BY e.id) found`);
  return z.array(truthRow).parse(rows);
}

export async function truthOf(n8n: QueueN8n, requestId: string): Promise<Truth> {
  const found = (await readTruth(n8n)).find((row) => row.requestId === requestId);
  if (found === undefined) throw new Error(`PostgreSQL has no execution of ${requestId}.`);
  return found;
}

/** Waits until the executions of these requests satisfy `isSo`, and returns them. */
export async function waitFor(
  n8n: QueueN8n,
  requestIds: readonly string[],
  isSo: (status: string) => boolean,
  patienceMs = PATIENCE_MS,
): Promise<Truth[]> {
  const deadline = Date.now() + patienceMs;
  let rows: Truth[] = [];
  while (Date.now() < deadline) {
    const ids = new Set(requestIds);
    rows = (await readTruth(n8n)).filter(({ requestId }) => requestId !== null && ids.has(requestId));
    if (rows.length === requestIds.length && rows.every(({ status }) => isSo(status))) return rows;
    await sleep(200);
  }
  const counts = Object.entries(Object.groupBy(rows, ({ status }) => status));
  throw new Error(
    `n8n was not so far: ${counts.map(([status, of]) => `${of?.length} ${status}`).join(", ")}`,
  );
}

/** Continues by `traceId` until the request is found, or everything was read. No answer may be wrong. */
export async function trace(lane: QueueLane, args: Record<string, unknown>): Promise<Traced> {
  let traced = await countedTrace(lane, args);
  for (let calls = 1; ; calls += 1) {
    const { data, singleReads } = traced;
    if (data.found || data.coverage.complete || calls === MAX_CALLS) return { ...traced, calls };
    same("an outcome that is not final", data.outcome, "not_found_yet");
    const next = await countedTrace(lane, { traceId: data.traceId });
    traced = { ...next, singleReads: Math.max(singleReads, next.singleReads) };
  }
}

async function countedTrace(
  { client, watch }: QueueLane,
  args: Record<string, unknown>,
): Promise<Omit<Traced, "calls">> {
  const before = watch.requests.length;
  const { data, message } = await traceRequest(client, args);
  const singleReads = watch.requests.slice(before).filter((request) => isSingleRead(request)).length;
  if (singleReads > MAX_SINGLE_READS) throw new Error(`${singleReads} executions were asked for singly`);
  return { data, message, singleReads };
}

const isSingleRead = (request: { path: string }): boolean => /\/executions\/\d+/.test(request.path);

/** The requested ids above the newest listed one. */
export function idsAskedAbove({ requests }: Watch, since: number, newest: number): string[] {
  const asked = requests.slice(since).map(({ path }) => /\/executions\/(\d+)/.exec(path)?.[1]);
  return asked.filter((id) => id !== undefined && Number(id) > newest).map(String);
}

/** n8n's status → the trace's outcome. */
const OUTCOME_OF: Record<string, string> = {
  new: "queued",
  running: "running",
  success: "success",
  error: "error",
  crashed: "error",
};

/** Compares a trace with PostgreSQL, before and after it. */
export async function checkTrace(lane: QueueLane, requestId: string, status: string): Promise<Traced> {
  const before = await truthOf(lane.n8n, requestId);
  same(`n8n's status of ${requestId}`, before.status, status);
  const traced = await trace(lane, { requestId });
  const { data, message } = traced;
  same(`n8n's status of ${requestId} meanwhile`, (await truthOf(lane.n8n, requestId)).status, status);
  same(`outcome of ${requestId} (${message})`, data.outcome, OUTCOME_OF[status]);
  same(
    `executions of ${requestId}`,
    data.executions.map((each) => [each.id, each.status]),
    [[before.id, status]],
  );
  if (status === "new")
    same(`executions before ${requestId}`, beforeOf(message), await beforeIn(lane, before.id));
  return traced;
}

const beforeOf = (message: string): number =>
  Number(/with (\d+) executions? ahead of it/.exec(message)?.[1] ?? 0);

async function beforeIn({ n8n }: QueueLane, id: string): Promise<number> {
  return (await readTruth(n8n)).filter((row) => row.status === "new" && Number(row.id) < Number(id)).length;
}
