/**
 * What n8n itself withholds: a workflow's or the instance's redaction policy, or private credentials. Then
 * n8n sends every item as `{ json: {}, redaction: { redacted: true, reason } }`, errors as `redactedError`,
 * and says so in `data.redactionInfo` (n8n 2.40.5, `FullItemRedactionStrategy`). Nothing was empty, and
 * nothing here asks n8n to reveal it. Pure.
 */
import type { ExecutionWithData } from "../n8n/schemas.ts";

export const WITHHELD_SENTENCE = "n8n withholds its data and error messages (redaction policy).";

/** True when n8n has taken the data out; then what looks empty is not. */
export function isWithheldByN8n(execution: ExecutionWithData): boolean {
  return execution.data?.redactionInfo?.isRedacted === true;
}
