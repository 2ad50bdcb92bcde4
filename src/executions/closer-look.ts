/** What an execution that has ended says of itself, as a trace shows it. */
import type { Failure, OwnText } from "./failure.ts";

export interface CloserLook {
  /** Null if it did not fail. */
  readonly failure: Failure | null;
  /** The error's own text: payload, only for callers who may see it. */
  readonly ownText: OwnText | null;
  /** Why it failed, or what is certainly or likely wrong in its success, in a sentence; null if nothing is known. */
  readonly reason: string | null;
  /** What is only observed, or that the data only suggests, in a sentence; null if there is a reason, or nothing. */
  readonly observed: string | null;
  /** The retry of it that succeeded, as n8n names it now; null if there is none. */
  readonly retrySuccessId: string | null;
  /** W3C trace context, as n8n has it. */
  readonly traceparent: string | undefined;
}
