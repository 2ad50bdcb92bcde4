/** Why a scan ended early, as a part of an answer that has something to say nonetheless. */
import type { ErrorFacts } from "../history/scan/stop-facts.ts";

export function toScanError({ code, message, details }: ErrorFacts): Record<string, unknown> {
  return { code, message, solution: details.solution };
}

/** In words, for the message. */
export function whyItStopped({ code }: ErrorFacts): string {
  return code === "RATE_LIMITED"
    ? "The scan stopped early, since n8n is asked by many at once (RATE_LIMITED)"
    : `n8n failed before the scan ended (${code})`;
}
