/** Reads an execution that succeeded, and says what is wrong in it, or odd. */
import { closerLookAt } from "../executions/causes/explain.ts";
import type { CloserLook } from "../history/history-queries.ts";
import { explanation } from "../n8n/explanation-plans.ts";
import type { VisibleN8n } from "../n8n/visible-n8n.ts";
import { OVERTIME_MS } from "../platform/time-limits.ts";

/** @throws ObserverError `EXECUTION_NOT_FOUND`, or an `N8N_…` code */
export async function wrongIn(client: VisibleN8n, executionId: string): Promise<CloserLook | null> {
  const options = { timeoutMs: OVERTIME_MS.failingNode };
  return closerLookAt(await client.readExecution(executionId, explanation(), options));
}
