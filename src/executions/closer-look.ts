/** What an execution that has ended says of itself, as a trace shows it. */
import type { Failure, OwnText } from "./failure.ts";

export interface CloserLook {
  /** Null if it did not fail. */
  readonly failure: Failure | null;
  /** The error's own text: payload, only for callers who may see it. */
  readonly ownText: OwnText | null;
  /** Why it failed, or what is certainly or likely wrong in its success, in a sentence; null if nothing is known. */
  readonly reason: string | null;
  /** W3C trace context, as n8n has it. */
  readonly traceparent: string | undefined;
}
