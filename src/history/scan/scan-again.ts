/** Scans again before an answer says that there is nothing (more), if assumptions about this n8n turn out wrong. */
import { mayPass, timeoutOf, withRetries } from "../../n8n/back-off.ts";
import { isOutOfTime } from "../../n8n/n8n-errors.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { ObserverError } from "../../platform/errors.ts";
import { OVERTIME_MS } from "../../platform/time-limits.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import type { QueryDependencies } from "./query-dependencies.ts";
import type { ScanResult } from "./scan-options.ts";

/** True if n8n, or its rate limit, was too slow for the call: the next call may succeed. */
export const isOutOfTimeResult = ({ stop }: ScanResult): boolean =>
  "error" in stop && isOutOfTime(stop.error);

interface RescanOptions extends Pick<QueryDependencies, "known" | "scans" | "sources"> {
  readonly window: TraceWindow;
  /** Whether something was found: then n8n is asked less, and only in the time that is left. */
  readonly hasFound: () => boolean;
  /** Whether the scan has looked for new executions in all of n8n. */
  readonly hasLooked: boolean;
  /** Whether an earlier look of the same call has checked that this is still the same n8n. */
  readonly isFurtherLook?: boolean | undefined;
  /** Epoch ms. */
  readonly deadline: number;
}

/**
 * Checks whether n8n has turned out to queue executions and, if nothing was found, whether the lists have missed an
 * execution and whether it is still the same n8n.
 * @param result of a scan that is complete
 * @returns an incomplete result if n8n did not answer these checks in time, so that the answer is not final
 */
export async function scanAgainIfChanged(
  { known, scans, sources, window, hasFound, hasLooked, isFurtherLook, deadline: usual }: RescanOptions,
  result: ScanResult,
  scan: () => Promise<ScanResult>,
): Promise<ScanResult> {
  const { capabilities, client, clock } = sources;
  const isFound = hasFound();
  const deadline = Math.max(usual, clock.now() + (isFound ? 0 : OVERTIME_MS.askingAnew));
  const queues = () => scans.probeQueue(window, sources, { isFound, deadline });
  const isOther = () => capabilities.hasChanged(client, timeoutOf(clock, deadline));
  const missed = async () => {
    const all = hasLooked ? await scans.missedIn(window, sources, deadline) : [];
    return all.some(({ workflowId }) => known.view.has(workflowId));
  };
  const checks = isFound || isFurtherLook ? [queues] : [queues, missed, isOther];
  try {
    const check = async (one: () => Promise<boolean>) => await withRetries(one, { clock }, deadline);
    const answers = await mapConcurrently(checks, checks.length, check);
    if (!answers.includes(true)) return result;
    const again = await scan();
    const isMissing = !hasFound() && again.stop.reason === "complete" && (await check(missed));
    return isMissing ? { ...again, stop: { reason: "time" } } : again;
  } catch (error) {
    if (!(error instanceof ObserverError) || error.code === "INTERRUPTED") throw error;
    // A key that may not read single executions never will.
    if (isFound && !mayPass(error) && !isOutOfTime(error)) return result;
    return { ...result, stop: isOutOfTime(error) ? { reason: "time" } : { reason: "n8n", error } };
  }
}
