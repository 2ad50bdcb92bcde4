/**
 * Finds out whether n8n queues executions: the only proof is one that has not begun and is in no list.
 *
 * Promises: an n8n that does not queue is probed a few times, and after that only while it is busy or idle.
 */
import { timeoutOf } from "../../n8n/back-off.ts";
import { type Capabilities, hidesUnfinished } from "../../n8n/capabilities/capabilities.ts";
import type { KnownCapabilities } from "../../n8n/capabilities/store.ts";
import type { N8nClient } from "../../n8n/client.ts";
import { cursorBelow } from "../../n8n/execution-cursor.ts";
import { refusalOf } from "../../n8n/refusal.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import type { Clock } from "../../platform/clock.ts";
import { MINUTE_MS } from "../../platform/durations.ts";
import { orIfNotFound } from "../../platform/errors.ts";
import { isNewer } from "../../platform/id-order.ts";
import { MAX_PAGE_SIZE } from "../reading/page-size.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import { belowOf, idFrom, newestOf } from "../store/gaps.ts";

/**
 * How far below the newest execution the first look at a queue watches ids without an execution; later looks start at
 * the lowest one not requested yet. Workers do not begin in the order of ids: webhooks that wait for an answer overtake
 * all others.
 */
export const FIRST_WATCHED_IDS = 500;
/** After this many fruitless probes, n8n is assumed not to queue. */
const MAX_EMPTY_PROBES = 20;
/** How far above the newest execution n8n is probed if some ids there have no execution. */
const PROBED_ABOVE_WITH_GAPS = 8;
/** The same if all ids have one: a missing one, still being stored or deleted while queued, must not hide a queue. */
const PROBED_ABOVE_WITHOUT_GAPS = 2;
/** How many of the newest ids without an execution are probed below it: webhooks that wait for an answer overtake. */
const PROBED_BELOW = 2;
/** How many executions that had not begun when they were last read are probed again, oldest first. */
const PROBED_NOT_BEGUN = 2;
/** How far above it n8n is probed while executions exist: workers may have begun this many since they were listed. */
const MAX_BEGUN_SINCE = 1_024;
/** The concurrency of a look: n8n mostly answers that it has no such execution. */
const CONCURRENT_PROBES = 4;
/** From this many running executions on, all workers may be busy, so n8n is probed again. */
const BUSY_FROM_RUNNING = 5;
/** Probe also when no execution has started for this long, since all workers may have stopped; once per interval. */
export const IDLE_MS = MINUTE_MS;

/** True if ids near the newest lack executions, as where successes are not saved, or if nothing is known of them. */
const mayHaveGaps = ({ queue }: ExecutionStore, newest: string): boolean =>
  newest === "0" || queue.hasHoles({ high: newest, low: belowOf(newest, FIRST_WATCHED_IDS) });

/** `from`, then doubled each time, up to `to`. */
function doublings(from: number, to: number): number[] {
  const all: number[] = [];
  for (let one = from; one <= to; one *= 2) all.push(one);
  return all;
}

/** What the requests for single executions need, before an answer says that there is nothing (more). */
export interface ProbeOptions {
  readonly store: ExecutionStore;
  readonly capabilities: KnownCapabilities;
  readonly client: N8nClient;
  readonly clock: Clock;
  /** Epoch ms. */
  readonly deadline: number;
}

/**
 * Why n8n may queue after all: nothing is known, its workers may be busy, or they may have stopped. Null if it is known
 * to queue, or not to, or if its lists hide so much that missing ids mean nothing. @param now epoch ms
 */
export function reasonToProbe(
  known: Capabilities,
  { queue }: ExecutionStore,
  now: number,
): "unknown" | "busy" | "idle" | null {
  if (known.queues === true || hidesUnfinished(known)) return null;
  if (known.queues === null) return "unknown";
  if (queue.countRunning(BUSY_FROM_RUNNING) >= BUSY_FROM_RUNNING) return "busy";
  const begunAt = queue.newestBegun?.startedAt ?? null;
  return begunAt === null || now - Date.parse(begunAt) > IDLE_MS ? "idle" : null;
}

type RequestOptions = Pick<ProbeOptions, "client" | "clock" | "deadline">;

/** With a concurrency limit, n8n lists executions that have not begun. */
async function isListedAsNew(id: string, { client, clock, deadline }: RequestOptions): Promise<boolean> {
  const list = async (limit: number, cursor?: string) =>
    await client.listExecutions({ status: "new", limit, cursor }, { timeoutMs: timeoutOf(clock, deadline) });
  const fromIt = list(1, cursorBelow(idFrom(id, 1), 1));
  // An n8n that refuses hand-made cursors has it among the newest.
  const { executions, nextCursor } = await fromIt.catch((error: unknown) => {
    if (refusalOf(error) === undefined) throw error;
    return list(MAX_PAGE_SIZE);
  });
  const lowest = executions.at(-1)?.id;
  // Otherwise it may be on a later page.
  const endsAbove = nextCursor !== null && lowest !== undefined && isNewer(lowest, id);
  return endsAbove || executions.some((one) => one.id === id);
}

async function itemOf(
  id: string,
  { client, clock, deadline }: RequestOptions,
): Promise<ExecutionListItem | null> {
  const options = { timeoutMs: timeoutOf(clock, deadline) };
  return await orIfNotFound(async () => await client.readExecutionItem(id, options), null);
}

/**
 * True if an execution that has not begun is in no list, which proves that n8n queues. It is read again after the list,
 * because it may have begun or been deleted before.
 * @throws ObserverError
 */
export const isInNoList = async (id: string, asking: RequestOptions): Promise<boolean> =>
  !(await isListedAsNew(id, asking)) && (await itemOf(id, asking))?.status === "new";

/** Requests ids above the newest execution, and some below. @returns whether n8n queues @throws ObserverError */
export async function probeQueue({ store, capabilities, ...asking }: ProbeOptions): Promise<boolean> {
  const newest = store.queue.newestBegun?.id ?? "0";
  const failures: unknown[] = [];
  let queues = false;
  const lookAt = async (id: string): Promise<ExecutionListItem | null> => {
    if (queues) return null;
    try {
      const item = await itemOf(id, asking);
      if (item?.status === "new" && (await isInNoList(id, asking))) queues = true;
      return item;
    } catch (error) {
      // Another id may still show the queue.
      failures.push(error);
      return null;
    }
  };
  const isUnknown = (await capabilities.get()).queues === null;
  const reach = mayHaveGaps(store, newest) ? PROBED_ABOVE_WITH_GAPS : PROBED_ABOVE_WITHOUT_GAPS;
  const above = doublings(1, reach).map((distance) => idFrom(newest, distance));
  // All queued executions may have been overtaken.
  const low = belowOf(newest, FIRST_WATCHED_IDS);
  const below = isUnknown ? newestOf(store.stretches.gapsIn({ high: newest, low }).ranges, PROBED_BELOW) : [];
  const maybeQueued = isUnknown ? store.queue.queued.slice(0, PROBED_NOT_BEGUN).map(({ id }) => id) : [];
  const seen = await mapConcurrently([...above, ...below, ...maybeQueued], CONCURRENT_PROBES, lookAt);
  let last = seen[above.length - 1] ?? null;
  for (const distance of doublings(2 * reach, MAX_BEGUN_SINCE)) {
    if (last === null) break;
    last = await lookAt(idFrom(newest, distance));
  }
  if (queues) {
    await capabilities.learn({ queues });
    return true;
  }
  if (failures.length > 0) throw failures[0];
  store.queue.emptyProbes += 1;
  if ((await capabilities.get()).queues === null && store.queue.emptyProbes >= MAX_EMPTY_PROBES) {
    await capabilities.learn({ queues: false });
    // When that knowledge expires, the probes start over.
    store.queue.emptyProbes = 0;
  }
  return false;
}
