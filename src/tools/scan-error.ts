/** Why n8n ended a scan early, as a part of an answer that has something to say nonetheless. */
import type { ObserverError } from "../errors.ts";

export function toScanError({ code, message, details }: ObserverError): Record<string, unknown> {
  return { code, message, solution: details.solution };
}
