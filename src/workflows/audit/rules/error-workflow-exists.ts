import { type AuditRule, found, notJudged, PASSED } from "../rule.ts";

export const errorWorkflowExists: AuditRule = {
  id: "error-workflow/exists",
  severity: "error",
  title: "The error workflow exists and is published.",
  reason: "n8n says nothing when the workflow that should have told of a failure is gone.",
  good: "The error workflow is in the list, and published.",
  bad: "The error workflow was deleted, archived, or never published.",
  appliesTo: ["server", "tool"],
  judge: ({ outline: { errorWorkflowId }, instance }) => {
    if (errorWorkflowId === undefined || errorWorkflowId === "") return PASSED;
    if (instance.unreadIds.has(errorWorkflowId))
      return notJudged(null, "The error workflow could not be read.");
    const handler = instance.workflows.get(errorWorkflowId);
    if (handler?.isPublished === true && !handler.isArchived) return PASSED;
    const state =
      handler === undefined ? "does not exist" : handler.isArchived ? "is archived" : "is not published";
    return found({
      node: null,
      message: `The error workflow ${state}.`,
      evidence: `settings.errorWorkflow is ${errorWorkflowId}.`,
      fix:
        handler === undefined || handler.isArchived
          ? "Choose another error workflow in the settings."
          : "Publish it.",
    });
  },
};
