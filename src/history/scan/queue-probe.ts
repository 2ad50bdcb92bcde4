/**
 * Whether n8n queues executions, which nothing shows but one that has not begun and is in no list.
 *
 * Promises: an n8n that does not queue is asked a few times, and then only while it is busy.
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
 * Ids without an execution are watched from here below the newest, when the queue is first looked at; later from the
 * lowest one that was not asked for. Workers do not begin in the order of ids: webhooks that wait for an answer overtake
 * all others.
 */
export const FIRST_WATCHED_IDS = 500;
/** After so many probes in vain, n8n is taken not to queue. */
const PROBES = 20;
/** How far above the newest execution n8n is probed where ids have no execution. */
const ABOVE_HOLES = 8;
/** The same where each id has one: a missing one, still being stored or deleted while it waited, must not hide a queue. */
const LEAST_ABOVE = 2;
/** Of the ids below it that have no execution, so many of the newest: webhooks that wait for an answer overtake others. */
const BELOW = 2;
/** How far above it n8n is probed while executions exist there: workers may have begun so many since they were listed. */
const MOST_BEGUN_SINCE = 1_024;
/** As many requests as a look sends: most of n8n's answers say that it has no such execution. */
const AT_ONCE = 4;
/** With so many running executions, workers may be busy: n8n is probed all the same. */
const BUSY = 5;
/** So also once nothing has begun for so long, and so often at most: they may have stopped. */
export const IDLE_MS = MINUTE_MS;

/** True if ids near the newest have no execution, as where successes are not saved, or if nothing is known of them. */
const mayHaveHoles = ({ queue }: ExecutionStore, newest: string): boolean =>
  newest === "0" || queue.hasHoles({ high: newest, low: belowOf(newest, FIRST_WATCHED_IDS) });

/** `from`, then twice as much each time, up to `to`. */
function doublings(from: number, to: number): number[] {
  const all: number[] = [];
  for (let one = from; one <= to; one *= 2) all.push(one);
  return all;
}

/** What n8n is asked with for single executions before it is said that there is nothing, or nothing more. */
export interface ProbeOptions {
  readonly store: ExecutionStore;
  readonly capabilities: KnownCapabilities;
  readonly client: N8nClient;
  readonly clock: Clock;
  /** Epoch ms. */
  readonly deadline: number;
}

/**
 * Why n8n may queue all the same: it is not known, its workers may be busy, or they may have stopped. Null if it is known
 * to queue, or not to; and if its lists hide so much that ids without an execution tell nothing. @param now epoch ms
 */
export function reasonToProbe(
  known: Capabilities,
  { queue }: ExecutionStore,
  now: number,
): "unknown" | "busy" | "idle" | null {
  if (known.queues === true || hidesUnfinished(known)) return null;
  if (known.queues === null) return "unknown";
  if (queue.countRunning(BUSY) >= BUSY) return "busy";
  const begunAt = queue.newestBegun?.startedAt ?? null;
  return begunAt === null || now - Date.parse(begunAt) > IDLE_MS ? "idle" : null;
}

/**
 * Asks for ids above the newest execution, and for some that have no execution below it.
 * @returns whether n8n has turned out to queue @throws ObserverError when n8n fails
 */
export async function probeQueue({
  store,
  capabilities,
  client,
  clock,
  deadline,
}: ProbeOptions): Promise<boolean> {
  const newest = store.queue.newestBegun?.id ?? "0";
  const list = async (limit: number, cursor?: string) =>
    await client.listExecutions({ status: "new", limit, cursor }, { timeoutMs: timeoutOf(clock, deadline) });
  // With a concurrency limit n8n lists what has not begun.
  const isListed = async (id: string): Promise<boolean> => {
    const fromIt = list(1, cursorBelow(idFrom(id, 1), 1));
    // An n8n that refuses cursors made by hand has it among the newest.
    const { executions, nextCursor } = await fromIt.catch((error: unknown) => {
      if (refusalOf(error) === undefined) throw error;
      return list(MAX_PAGE_SIZE);
    });
    const lowest = executions.at(-1)?.id;
    // It may be on a later page.
    const endsAbove = nextCursor !== null && lowest !== undefined && isNewer(lowest, id);
    return endsAbove || executions.some((one) => one.id === id);
  };
  const failures: unknown[] = [];
  let queues = false;
  const lookAt = async (id: string): Promise<ExecutionListItem | null> => {
    if (queues) return null;
    try {
      const options = { timeoutMs: timeoutOf(clock, deadline) };
      const item = await orIfNotFound(async () => await client.readExecutionItem(id, options), null);
      // Those that have begun since they were listed say nothing of the ones above them.
      if (item?.status === "new" && !(await isListed(id))) queues = true;
      return item;
    } catch (error) {
      // Another id may show the queue all the same.
      failures.push(error);
      return null;
    }
  };
  const isUnknown = (await capabilities.get()).queues === null;
  const reach = mayHaveHoles(store, newest) ? ABOVE_HOLES : LEAST_ABOVE;
  const above = doublings(1, reach).map((distance) => idFrom(newest, distance));
  // All that wait may have been overtaken.
  const low = belowOf(newest, FIRST_WATCHED_IDS);
  const below = isUnknown ? newestOf(store.stretches.gapsIn({ high: newest, low }).ranges, BELOW) : [];
  const seen = await mapConcurrently([...above, ...below], AT_ONCE, lookAt);
  let last = seen[above.length - 1] ?? null;
  for (const distance of doublings(2 * reach, MOST_BEGUN_SINCE)) {
    if (last === null) break;
    last = await lookAt(idFrom(newest, distance));
  }
  if (queues) {
    await capabilities.learn({ queues });
    return true;
  }
  if (failures.length > 0) throw failures[0];
  store.queue.emptyProbes += 1;
  if ((await capabilities.get()).queues === null && store.queue.emptyProbes >= PROBES) {
    await capabilities.learn({ queues: false });
    // Once that expires, n8n is probed as often again.
    store.queue.emptyProbes = 0;
  }
  return false;
}
