/** The guide's rules of the workflow that n8n starts when another one fails. Pure. */
import { MAIN } from "../../../workflows/graph.ts";
import { isUnread } from "../../../workflows/mcp-server-map.ts";
import { ERROR_TRIGGER } from "../../../workflows/node-types.ts";
import { mayCall, type WorkflowOutline } from "../../../workflows/workflow-outline.ts";
import { type AuditRule, type Fault, faultUnless } from "../rule.ts";

export const errorWorkflowRules: readonly AuditRule[] = [
  {
    id: "error-workflow/set",
    severity: "warning",
    title: "A server and each of its tools have an error workflow.",
    reason: "Without one, a failure that no node caught is seen by nobody until somebody looks.",
    good: "settings.errorWorkflow names the global error handler.",
    bad: "No error workflow in the settings.",
    appliesTo: ["server", "tool"],
    message: "The workflow has no error workflow.",
    fix: "Choose one in the workflow's settings.",
    // Without the setting, n8n starts the workflow's own Error Trigger.
    judge: ({ outline: { errorWorkflowId }, version }) =>
      faultUnless(
        errorWorkflowId !== undefined || version.nodes.some(({ type }) => type === ERROR_TRIGGER),
        "settings.errorWorkflow is not set.",
      ),
  },
  {
    id: "error-workflow/exists",
    severity: "error",
    title: "The error workflow exists, is published, and may be called.",
    reason: "n8n says nothing when the workflow that should have told of a failure is gone.",
    good: "The error workflow is in the list, and published.",
    bad: "The error workflow was deleted, archived, or never published.",
    appliesTo: ["server", "tool"],
    message: "The error workflow does not exist, or this API key may not see it.",
    fix: "Choose another error workflow in the settings.",
    judge: ({ workflow, outline: { errorWorkflowId }, instance }) => {
      if (errorWorkflowId === undefined) return [];
      if (isUnread(instance, errorWorkflowId))
        return [{ node: null, reason: "The error workflow could not be read." }];
      const obstacle = obstacleTo(workflow.id, instance.workflows.get(errorWorkflowId));
      const evidence = `settings.errorWorkflow is ${errorWorkflowId}.`;
      return obstacle === undefined ? [] : [{ node: null, evidence, ...obstacle }];
    },
  },
  {
    id: "error-workflow/sound",
    severity: "error",
    title:
      "An error workflow begins with an Error Trigger, does something, and is not its own error workflow.",
    reason: "Without the trigger n8n does not start it; with nothing behind it nobody is told.",
    good: "Error Trigger → Log Alert",
    bad: "An error workflow that begins with a Manual Trigger.",
    appliesTo: ["error_workflow"],
    message: "The error workflow has no Error Trigger that can run.",
    fix: "Begin it with an Error Trigger.",
    judge: ({ graph, nodes, workflow, outline }) => {
      const triggers = nodes.filter(({ type }) => type === ERROR_TRIGGER);
      if (triggers.length === 0) return faultUnless(false, "No enabled node is an Error Trigger.");
      const idle = triggers.find(({ name }) => graph.outgoing(name, MAIN).length === 0);
      if (idle !== undefined) {
        return [
          {
            node: idle.name,
            evidence: "Its output is not connected.",
            message: "Nothing follows the Error Trigger.",
            fix: "Connect a node that tells somebody of the failure.",
          },
        ];
      }
      if (outline.errorWorkflowId !== workflow.id) return [];
      return [
        {
          node: null,
          evidence: "settings.errorWorkflow is the workflow itself.",
          message: "The error workflow handles its own errors.",
          fix: "Clear the setting: a failing handler would start itself.",
        },
      ];
    },
  },
];

/** What keeps n8n from starting the error workflow when an execution has failed. */
function obstacleTo(
  callerId: string,
  handler: WorkflowOutline | undefined,
): Pick<Fault, "message" | "fix"> | undefined {
  if (handler === undefined) return {};
  if (handler.isArchived) return { message: "The error workflow is archived." };
  if (!handler.isPublished) return { message: "The error workflow is not published.", fix: "Publish it." };
  if (mayCall(callerId, handler)) return undefined;
  return {
    message: "The error workflow does not allow this workflow to call it.",
    fix: "In the settings of the error workflow, allow this workflow to call it.",
  };
}
