import { judgeCalls, mayCall } from "../called-workflows.ts";
import type { AuditRule } from "../rule.ts";

export const architectureCallerPolicy: AuditRule = {
  id: "architecture/caller-policy",
  severity: "error",
  title: "Workflows that are called may be called by their callers.",
  reason: "n8n refuses a call that the called workflow does not allow, and only when it is made.",
  good: "callerPolicy is workflowsFromSameOwner, or a list with the caller in it.",
  bad: "callerPolicy is none, or a list without the caller; or the workflow has no trigger for calls.",
  appliesTo: ["any"],
  judge: (subject) =>
    judgeCalls(subject, (call, called) => {
      const its = `${called.name} (${called.id})`;
      if (!called.canBeCalled) {
        return {
          node: call.node,
          message: "The workflow that it calls has no trigger for calls.",
          evidence: `${its} has no Execute Workflow Trigger that is enabled.`,
          fix: "Begin the called workflow with an Execute Workflow Trigger (When Executed by Another Workflow).",
        };
      }
      if (mayCall(subject.workflow.id, called)) return undefined;
      return {
        node: call.node,
        message: "The workflow that it calls does not allow this caller.",
        evidence: `callerPolicy of ${its} is ${called.callerPolicy}.`,
        fix: "In the settings of the called workflow, allow this workflow to call it.",
      };
    }),
};
