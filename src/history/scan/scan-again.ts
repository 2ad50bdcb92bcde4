/** Scans again before it is said that there is nothing, if n8n turns out to be other than it was taken to be. */
import { isOutOfTime } from "../../n8n/n8n-errors.ts";
import type { ScanResult } from "./scan-options.ts";

/** True if n8n, or the limit of requests to it, was too slow for the call: the next one may get its answer. */
export const isOutOfTimeResult = ({ stop }: ScanResult): boolean =>
  "error" in stop && isOutOfTime(stop.error);

/**
 * @param result of a scan that found nothing and is complete
 * @returns one that is not complete if n8n does not say in time whether it has changed: nothing is said for good then
 * @throws ObserverError when n8n fails otherwise
 */
export async function scanAgainIf(
  hasChanged: () => Promise<boolean>,
  result: ScanResult,
  scan: () => Promise<ScanResult>,
): Promise<ScanResult> {
  try {
    return (await hasChanged()) ? await scan() : result;
  } catch (error) {
    if (!isOutOfTime(error)) throw error;
    return { ...result, stop: { reason: "time" } };
  }
}
