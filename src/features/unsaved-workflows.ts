/**
 * Finds workflows whose own settings keep n8n from saving executions, or its public API from showing them, which may
 * explain a missing one. The public API does not show the instance's defaults.
 */
import type { N8nClient } from "../n8n/client.ts";
import type { WorkflowWithNodes } from "../n8n/workflow-schemas.ts";
import { ObserverError } from "../platform/errors.ts";
import { OVERTIME_MS } from "../platform/time-limits.ts";

export interface UnsavedWorkflow {
  readonly workflowId: string;
  readonly workflowName: string;
  /** `engine_v2`: its runs are in no answer of the public API. */
  readonly unsaved: "successful" | "failed" | "all" | "engine_v2";
}

/** Each workflow is read whole. */
const MAX_WORKFLOWS = 250;
const MAX_NAMED = 10;

/** Checks published workflows. @returns null instead of throwing when n8n fails */
export async function unsavedWorkflows(client: N8nClient): Promise<readonly UnsavedWorkflow[] | null> {
  const found: UnsavedWorkflow[] = [];
  try {
    await client.streamWorkflows(
      { limit: MAX_WORKFLOWS, active: true },
      (listed) => {
        if (listed.kind !== "read" || found.length >= MAX_NAMED) return;
        const { id, name, settings } = listed.workflow;
        const unsaved = unsavedBy(settings);
        if (unsaved !== null) found.push({ workflowId: id, workflowName: name, unsaved });
      },
      { timeoutMs: OVERTIME_MS.unsavedWorkflows },
    );
    return found;
  } catch (error) {
    // The key lacks the scope, or n8n is busy: the answer about the scan is still valid.
    if (error instanceof ObserverError) return null;
    throw error;
  }
}

/** Reads n8n's `IWorkflowSettings`: `all`, `none`, or `DEFAULT` for the instance's default. */
function unsavedBy(settings: WorkflowWithNodes["settings"]): UnsavedWorkflow["unsaved"] | null {
  if (settings.engineType === "v2") return "engine_v2";
  const isSuccess = settings.saveDataSuccessExecution === "none";
  const isError = settings.saveDataErrorExecution === "none";
  if (isSuccess && isError) return "all";
  if (isSuccess) return "successful";
  return isError ? "failed" : null;
}
