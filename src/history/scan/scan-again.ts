/** Scans again before it is said that there is nothing, if n8n turns out to be other than it was taken to be. */
import { isOutOfTime } from "../../n8n/n8n-errors.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { ObserverError } from "../../platform/errors.ts";
import type { ScanResult } from "./scan-options.ts";

/** True if n8n, or the limit of requests to it, was too slow for the call: the next one may get its answer. */
export const isOutOfTimeResult = ({ stop }: ScanResult): boolean =>
  "error" in stop && isOutOfTime(stop.error);

/**
 * @param asks what n8n is asked at the same time: each says whether n8n is another
 * @param result of a scan that is complete
 * @returns one that is not complete if n8n does not say, or not in time, whether it has changed: nothing is said for good
 */
export async function scanAgainIf(
  asks: readonly (() => Promise<boolean>)[],
  result: ScanResult,
  scan: () => Promise<ScanResult>,
): Promise<ScanResult> {
  try {
    const answers = await mapConcurrently(asks, asks.length, async (ask) => await ask());
    return answers.includes(true) ? await scan() : result;
  } catch (error) {
    if (!(error instanceof ObserverError) || error.code === "INTERRUPTED") throw error;
    return { ...result, stop: isOutOfTime(error) ? { reason: "time" } : { reason: "n8n", error } };
  }
}
