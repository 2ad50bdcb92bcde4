import { MAIN } from "../../../workflows/graph.ts";
import { ERROR_TRIGGER } from "../../../workflows/node-types.ts";
import { type AuditRule, found, PASSED } from "../rule.ts";

export const errorWorkflowSound: AuditRule = {
  id: "error-workflow/sound",
  severity: "error",
  title:
    "An error workflow begins with an Error Trigger, does something, and has not itself as error workflow.",
  reason: "Without the trigger n8n does not start it; with nothing behind it nobody is told.",
  good: "Error Trigger → Log Alert",
  bad: "An error workflow that begins with a Manual Trigger.",
  appliesTo: ["error_workflow"],
  judge: ({ graph, nodes, workflow, outline }) => {
    const triggers = nodes.filter(({ type }) => type === ERROR_TRIGGER);
    if (triggers.length === 0) {
      return found({
        node: null,
        message: "The error workflow has no Error Trigger that can run.",
        evidence: "No enabled node is an Error Trigger.",
        fix: "Begin it with an Error Trigger.",
      });
    }
    const idle = triggers.find(({ name }) => graph.outgoing(name, MAIN).length === 0);
    if (idle !== undefined) {
      return found({
        node: idle.name,
        message: "Nothing follows the Error Trigger.",
        evidence: "Its output is not connected.",
        fix: "Connect a node that tells somebody of the failure.",
      });
    }
    if (outline.errorWorkflowId !== workflow.id) return PASSED;
    return found({
      node: null,
      message: "The error workflow handles its own errors.",
      evidence: "settings.errorWorkflow is the workflow itself.",
      fix: "Take the setting out: a failing handler would start itself.",
    });
  },
};
