/**
 * Executions that were in no list of a look, though newer ones were: n8n may show one in none while it begins, falls
 * asleep, wakes up or ends, since its lists are made one after the other.
 *
 * Promises: n8n is asked for four ids at most, and only for such as have no known execution above all that is known; a
 * key that may not read single executions is no failure.
 */
import { mayPass, timeoutOf } from "../../n8n/back-off.ts";
import { hidesUnfinished } from "../../n8n/capabilities/capabilities.ts";
import type { KnownCapabilities } from "../../n8n/capabilities/store.ts";
import type { N8nClient } from "../../n8n/client.ts";
import { isOutOfTime } from "../../n8n/n8n-errors.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import type { Clock } from "../../platform/clock.ts";
import { ObserverError, orIfNotFound } from "../../platform/errors.ts";
import { isNewer } from "../../platform/id-order.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import { idFrom, newestOf } from "../store/gaps.ts";
import type { TraceWindow } from "../store/trace-window.ts";

const MOST_ASKED = 4;

interface MissedOptions {
  readonly window: TraceWindow;
  readonly store: ExecutionStore;
  readonly capabilities: KnownCapabilities;
  readonly client: N8nClient;
  readonly clock: Clock;
  /** Epoch ms. */
  readonly deadline: number;
}

/** Call this after a look. @returns whether n8n has one that is not known: a further look finds it @throws ObserverError when n8n fails */
export async function hasMissed(options: MissedOptions): Promise<boolean> {
  const { store, capabilities, window } = options;
  const known = await capabilities.get();
  // What may be in a queue, or is hidden, has readers of its own; where little is known, most ids are not.
  if (known.queues !== false || hidesUnfinished(known) || !store.isKnownSince(window, "listed")) return false;
  const listed = store.lookTimes.settled?.upTo ?? "0";
  const low = idFrom(store.stretches.of("listed")[0]?.high ?? "0", 1);
  const ranges = isNewer(low, listed) ? [] : store.stretches.gapsIn({ high: listed, low }).ranges;
  const ids = newestOf(ranges, MOST_ASKED);
  const answers = await mapConcurrently(ids, ids.length, async (id) => await exists(id, options));
  return answers.includes(true);
}

async function exists(id: string, { client, clock, deadline }: MissedOptions): Promise<boolean> {
  try {
    const ask = async () => await client.readExecutionItem(id, { timeoutMs: timeoutOf(clock, deadline) });
    return (await orIfNotFound(ask, null)) !== null;
  } catch (error) {
    if (!(error instanceof ObserverError) || mayPass(error) || isOutOfTime(error)) throw error;
    return false;
  }
}
