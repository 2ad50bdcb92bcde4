/**
 * Detects data that n8n itself withholds, because of a redaction policy of the workflow or instance, or of private
 * credentials. n8n then sends every item as `{ json: {}, redaction: { redacted: true, reason } }`, errors as
 * `redactedError`, and says so in `data.redactionInfo` (n8n 2.40.5, `FullItemRedactionStrategy`). The items were not
 * empty originally, and no code here asks n8n to reveal them. Pure.
 */
import type { ExecutionWithData } from "../n8n/schemas.ts";

export const WITHHELD_SENTENCE = "n8n withholds its data and error messages (redaction policy).";

/** True if n8n has removed the data; then values that look empty may not be. */
export const isWithheldByN8n = (execution: ExecutionWithData): boolean =>
  execution.data?.redactionInfo?.isRedacted === true;
