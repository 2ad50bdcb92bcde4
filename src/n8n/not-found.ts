/** What n8n does not have: of each thing that is asked for by its id, the error that says so and what to do. */
import { ObserverError } from "../platform/errors.ts";

export function executionNotFound(id: string): ObserverError {
  return new ObserverError("EXECUTION_NOT_FOUND", `There is no execution ${id}.`, {
    field: "id",
    solution:
      "It was deleted or pruned by n8n, or never existed. get_workflow_executions lists the ones that exist.",
  });
}

export function workflowNotFound(id: string): ObserverError {
  return new ObserverError("WORKFLOW_NOT_FOUND", `There is no workflow ${id}.`, {
    field: "workflowId",
    solution:
      "list_workflows lists the ones that exist; set active to false for those that are not published.",
  });
}

export function versionNotFound(id: string): ObserverError {
  return new ObserverError("WORKFLOW_NOT_FOUND", `Workflow ${id} has no such version.`, {
    field: "versionId",
    solution: `n8n keeps versions for a limited time. diff_workflow({"workflowId":"${id}"}) lists the newest.`,
  });
}

export function historyUnknown(id: string): ObserverError {
  return new ObserverError(
    "WORKFLOW_NOT_FOUND",
    `There is no workflow ${id}, or this n8n gives no history.`,
    {
      field: "workflowId",
      solution:
        "list_workflows lists the workflows. Where n8n is too old to list versions, compare with an export: diff_workflow with against.",
    },
  );
}
