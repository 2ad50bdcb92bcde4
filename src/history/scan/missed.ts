/**
 * Finds executions that were in none of a look's lists although newer ones were: n8n makes its lists one after the
 * other, so one that begins, waits, resumes or ends in between may be in none.
 *
 * Promises: at most four requests, for unknown ids above the known stretch; an id without an execution is not requested
 * again within ten seconds; a failure, or a lack of permission, counts as no execution.
 */
import { timeoutOf } from "../../n8n/back-off.ts";
import { hidesUnfinished } from "../../n8n/capabilities/capabilities.ts";
import { isOutOfTime } from "../../n8n/n8n-errors.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { isNotFound, orElse } from "../../platform/errors.ts";
import { isNewer } from "../../platform/id-order.ts";
import { idFrom, newestOf } from "../store/gaps.ts";
import { MOST_OPEN_MS } from "../store/given-ids.ts";
import type { ProbeOptions } from "./queue-probe.ts";

const MAX_REQUESTED = 4;
/** After this time n8n has stored the execution, if there is one. */
const REQUEST_AGAIN_AFTER_MS = MOST_OPEN_MS;

/** Call this after a look, if everything listed is known. @throws ObserverError when time is up */
export async function missedIn(options: ProbeOptions): Promise<readonly ExecutionListItem[]> {
  const { store, capabilities, clock } = options;
  const known = await capabilities.get();
  // Queued and hidden executions have readers of their own.
  if (known.queues !== false || hidesUnfinished(known)) return [];
  const listed = store.lookTimes.settled?.upTo ?? "0";
  const low = idFrom(store.stretches.of("listed")[0]?.high ?? "0", 1);
  const ranges = isNewer(low, listed) ? [] : store.stretches.gapsIn({ high: listed, low }).ranges;
  const isDue = (id: string): boolean =>
    clock.now() - store.singleReadTimes.askedAt(id) > REQUEST_AGAIN_AFTER_MS;
  const ids = newestOf(ranges, MAX_REQUESTED).filter(isDue);
  const items = await mapConcurrently(ids, ids.length, async (id) => await itemOf(id, options));
  return items.filter((item) => item !== null);
}

async function itemOf(
  id: string,
  { store, client, clock, deadline }: ProbeOptions,
): Promise<ExecutionListItem | null> {
  const askedAt = clock.now();
  const ask = async () => await client.readExecutionItem(id, { timeoutMs: timeoutOf(clock, deadline) });
  return await orElse(ask, (error) => {
    if (isNotFound(error)) store.singleReadTimes.note(id, askedAt);
    else if (error.code === "INTERRUPTED" || isOutOfTime(error)) throw error;
    return null;
  });
}
