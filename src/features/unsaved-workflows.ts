/**
 * Workflows whose executions n8n does not keep, by their own settings: what was asked for may have been one of them.
 * The instance's defaults show nowhere in the public API.
 */

import type { N8nClient } from "../n8n/client.ts";
import { ObserverError } from "../platform/errors.ts";
import { OVERTIME_MS } from "../platform/time-limits.ts";

export interface UnsavedWorkflow {
  readonly workflowId: string;
  readonly workflowName: string;
  /** Which of its executions are not kept. */
  readonly unsaved: "successful" | "failed" | "all";
}

/** More workflows tell nobody more, and each is read whole. */
const MAX_WORKFLOWS = 250;
const MAX_TOLD = 10;

/** The published ones; null when n8n does not tell. @throws nothing of n8n's: that it is not known is the answer */
export async function unsavedWorkflows(client: N8nClient): Promise<readonly UnsavedWorkflow[] | null> {
  const found: UnsavedWorkflow[] = [];
  try {
    await client.streamWorkflows(
      { limit: MAX_WORKFLOWS, active: true },
      (listed) => {
        if (listed.kind !== "read" || found.length >= MAX_TOLD) return;
        const { id, name, settings } = listed.workflow;
        const unsaved = unsavedBy(settings);
        if (unsaved !== null) found.push({ workflowId: id, workflowName: name, unsaved });
      },
      { timeoutMs: OVERTIME_MS.unsavedWorkflows },
    );
    return found;
  } catch (error) {
    // A key without the scope, or an n8n that has no time: what was scanned is told all the same.
    if (error instanceof ObserverError) return null;
    throw error;
  }
}

interface SaveSettings {
  readonly saveDataSuccessExecution?: string | undefined;
  readonly saveDataErrorExecution?: string | undefined;
}

/** n8n's `IWorkflowSettings`: `all`, `none`, or `DEFAULT` for the instance's. */
function unsavedBy({
  saveDataSuccessExecution,
  saveDataErrorExecution,
}: SaveSettings): UnsavedWorkflow["unsaved"] | null {
  const isSuccess = saveDataSuccessExecution === "none";
  const isError = saveDataErrorExecution === "none";
  if (isSuccess && isError) return "all";
  if (isSuccess) return "successful";
  return isError ? "failed" : null;
}
