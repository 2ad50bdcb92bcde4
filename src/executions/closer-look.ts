/** What a trace shows of an execution that has ended or waits. */
import type { ExecutionStatus } from "../n8n/schemas.ts";
import type { Failure, OwnText } from "./failure.ts";

export interface CloserLook {
  readonly status: ExecutionStatus;
  readonly failure: Failure | null;
  /** The error's own text: payload, only for callers who may see it. */
  readonly ownText: OwnText | null;
  /** A sentence: why it failed or waits, or what is certainly or probably wrong with its success; null if unknown. */
  readonly reason: string | null;
  /** A sentence: what is only observed or suggested by the data; null if there is a `reason`, or nothing. */
  readonly observed: string | null;
  /** Its successful retry, as n8n names it now; null if there is none. */
  readonly retrySuccessId: string | null;
  readonly traceparent: string | undefined;
}
