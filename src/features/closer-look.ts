/** Reads an execution that has ended or waits, and says why it failed or waits, or what went wrong although it succeeded. */
import { conclusionOf } from "../executions/causes/explain.ts";
import type { CloserLook } from "../executions/closer-look.ts";
import { failureOf, ownTextOf } from "../executions/failure.ts";
import { explanation } from "../n8n/explanation-plans.ts";
import type { VisibleN8n } from "../n8n/visible-n8n.ts";
import { OVERTIME_MS } from "../platform/time-limits.ts";

/** @throws ObserverError `EXECUTION_NOT_FOUND`, or an `N8N_…` code */
export async function lookCloser(client: VisibleN8n, executionId: string): Promise<CloserLook> {
  const options = { timeoutMs: OVERTIME_MS.failingNode };
  const execution = await client.readExecution(executionId, explanation(), options);
  return {
    status: execution.status,
    failure: failureOf(execution),
    ownText: ownTextOf(execution),
    ...conclusionOf(execution),
    retrySuccessId: execution.retrySuccessId,
    traceparent: execution.tracingContext?.traceparent,
  };
}
