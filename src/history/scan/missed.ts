/**
 * Executions that were in no list of a look, though newer ones were: n8n may show one in none while it begins, falls
 * asleep, wakes up or ends, since its lists are made one after the other.
 *
 * Promises: n8n is asked for at most four ids, above the known stretch and without a known execution; for none again within
 * ten seconds if it has no execution; where n8n fails at one, or the key may not read it, it counts as none.
 */
import { timeoutOf } from "../../n8n/back-off.ts";
import { hidesUnfinished } from "../../n8n/capabilities/capabilities.ts";
import { isOutOfTime } from "../../n8n/n8n-errors.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { ObserverError, orIfNotFound } from "../../platform/errors.ts";
import { isNewer } from "../../platform/id-order.ts";
import { idFrom, newestOf } from "../store/gaps.ts";
import { MOST_OPEN_MS } from "../store/given-ids.ts";
import type { ProbeOptions } from "./queue-probe.ts";

const MOST_ASKED = 4;
/** By then, what n8n stores is there. */
const ASKED_LATELY_MS = MOST_OPEN_MS;

/**
 * Call this after a look at which all was known that is listed.
 * @returns those that n8n has: a further look finds them @throws ObserverError when time is up
 */
export async function missedIn(options: ProbeOptions): Promise<readonly ExecutionListItem[]> {
  const { store, capabilities, clock } = options;
  const known = await capabilities.get();
  // What may be in a queue, or is hidden, has readers of its own.
  if (known.queues !== false || hidesUnfinished(known)) return [];
  const listed = store.lookTimes.settled?.upTo ?? "0";
  const low = idFrom(store.stretches.of("listed")[0]?.high ?? "0", 1);
  const ranges = isNewer(low, listed) ? [] : store.stretches.gapsIn({ high: listed, low }).ranges;
  const isLate = (id: string): boolean => clock.now() - store.singleReadTimes.askedAt(id) > ASKED_LATELY_MS;
  const ids = newestOf(ranges, MOST_ASKED).filter(isLate);
  const items = await mapConcurrently(ids, ids.length, async (id) => await itemOf(id, options));
  return items.filter((item) => item !== null);
}

async function itemOf(
  id: string,
  { store, client, clock, deadline }: ProbeOptions,
): Promise<ExecutionListItem | null> {
  const askedAt = clock.now();
  try {
    const ask = async () => await client.readExecutionItem(id, { timeoutMs: timeoutOf(clock, deadline) });
    const item = await orIfNotFound(ask, null);
    if (item === null) store.singleReadTimes.note(id, askedAt);
    return item;
  } catch (error) {
    const isOfThisId = error instanceof ObserverError && error.code !== "INTERRUPTED" && !isOutOfTime(error);
    if (!isOfThisId) throw error;
    return null;
  }
}
