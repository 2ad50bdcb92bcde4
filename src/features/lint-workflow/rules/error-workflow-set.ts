import { ERROR_TRIGGER } from "../../../workflows/node-types.ts";
import { type AuditRule, found, PASSED } from "../rule.ts";

export const errorWorkflowSet: AuditRule = {
  id: "error-workflow/set",
  severity: "warning",
  title: "A server and each of its tools have an error workflow.",
  reason: "Without one, a failure that no node caught is seen by nobody until somebody looks.",
  good: "settings.errorWorkflow names the global error handler.",
  bad: "No error workflow in the settings.",
  appliesTo: ["server", "tool"],
  judge: ({ outline: { errorWorkflowId }, version }) =>
    // Without the setting, n8n starts the workflow's own Error Trigger.
    errorWorkflowId !== undefined || version.nodes.some(({ type }) => type === ERROR_TRIGGER)
      ? PASSED
      : found({
          node: null,
          message: "The workflow has no error workflow.",
          evidence: "settings.errorWorkflow is not set.",
          fix: "Choose one in the workflow's settings.",
        }),
};
