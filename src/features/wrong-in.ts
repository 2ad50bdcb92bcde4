/** Reads an execution that succeeded, and says what is certainly or likely wrong in it. */
import { reasonOf } from "../executions/causes/explain.ts";
import { explanation } from "../n8n/explanation-plans.ts";
import type { VisibleN8n } from "../n8n/visible-n8n.ts";
import { OVERTIME_MS } from "../platform/time-limits.ts";

/** @throws ObserverError `EXECUTION_NOT_FOUND`, or an `N8N_…` code */
export async function wrongIn(client: VisibleN8n, executionId: string): Promise<string | null> {
  const options = { timeoutMs: OVERTIME_MS.failingNode };
  return reasonOf(await client.readExecution(executionId, explanation(), options));
}
