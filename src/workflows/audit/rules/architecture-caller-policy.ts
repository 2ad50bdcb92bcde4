import { judgeCalls } from "../called-workflows.ts";
import type { AuditRule } from "../rule.ts";

export const architectureCallerPolicy: AuditRule = {
  id: "architecture/caller-policy",
  severity: "error",
  title: "Workflows that are called may be called by their callers.",
  reason: "n8n refuses a call that the called workflow's settings do not allow, and only when it is made.",
  good: "callerPolicy is workflowsFromSameOwner, or a list with the caller in it.",
  bad: "callerPolicy is none, or a list without the caller.",
  appliesTo: ["any"],
  judge: (subject) =>
    judgeCalls(subject, (call, called) => {
      const isRefused =
        called.callerPolicy === "none" ||
        (called.callerPolicy === "workflowsFromAList" && !called.callerIds.includes(subject.workflow.id));
      return isRefused
        ? {
            node: call.node,
            message: "The workflow that it calls does not allow this caller.",
            evidence: `callerPolicy of ${called.name} (${called.id}) is ${called.callerPolicy}.`,
            fix: "In the settings of the called workflow, allow this workflow to call it.",
          }
        : undefined;
    }),
};
