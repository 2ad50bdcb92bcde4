import type { WorkflowOutline } from "../../../workflows/workflow-outline.ts";
import { mayCall } from "../called-workflows.ts";
import { type AuditRule, found, notJudged, PASSED } from "../rule.ts";

export const errorWorkflowExists: AuditRule = {
  id: "error-workflow/exists",
  severity: "error",
  title: "The error workflow exists, is published, and may be called.",
  reason: "n8n says nothing when the workflow that should have told of a failure is gone.",
  good: "The error workflow is in the list, and published.",
  bad: "The error workflow was deleted, archived, or never published.",
  appliesTo: ["server", "tool"],
  judge: ({ workflow, outline: { errorWorkflowId }, instance }) => {
    if (errorWorkflowId === undefined) return PASSED;
    const handler = instance.workflows.get(errorWorkflowId);
    if (handler === undefined && (instance.unreadIds.has(errorWorkflowId) || !instance.isComplete))
      return notJudged(null, "The error workflow could not be read.");
    const problem = problemOf(handler, workflow.id);
    if (problem === undefined) return PASSED;
    return found({
      node: null,
      message: `The error workflow ${problem.what}.`,
      evidence: `settings.errorWorkflow is ${errorWorkflowId}.`,
      fix: problem.fix,
    });
  },
};

/** As n8n looks at it when an execution has failed. */
function problemOf(
  handler: WorkflowOutline | undefined,
  callerId: string,
): { readonly what: string; readonly fix: string } | undefined {
  const another = "Choose another error workflow in the settings.";
  if (handler === undefined) return { what: "does not exist, or this API key may not see it", fix: another };
  if (handler.isArchived) return { what: "is archived", fix: another };
  if (!handler.isPublished) return { what: "is not published", fix: "Publish it." };
  if (mayCall(callerId, handler)) return undefined;
  return {
    what: "does not allow this workflow to call it",
    fix: "In the settings of the error workflow, allow this workflow to call it.",
  };
}
