import { followedCalls } from "../../../workflows/mcp-server-map.ts";
import { unknownCalls } from "../called-workflows.ts";
import type { AuditRule } from "../rule.ts";

export const architectureCalledWorkflowExists: AuditRule = {
  id: "architecture/called-workflow-exists",
  severity: "error",
  title: "Workflows that are called exist.",
  reason: "A call of a workflow that was deleted fails each time, and only when it is made.",
  good: "The node names a workflow that is in the list.",
  bad: "The node names a workflow that was deleted or archived.",
  appliesTo: ["any"],
  judge: ({ outline, instance }) => {
    const isGone = (id: string): boolean =>
      instance.workflows.get(id)?.isArchived ?? (instance.isComplete && !instance.unreadIds.has(id));
    const findings = followedCalls(outline)
      .filter(({ workflowId }) => isGone(workflowId))
      .map(({ call, workflowId }) => ({
        node: call.node,
        message: instance.workflows.has(workflowId)
          ? "The workflow that it calls is archived."
          : "The workflow that it calls does not exist, or this API key may not see it.",
        evidence: `workflowId is ${workflowId}.`,
        fix: "Choose a workflow that exists, or restore this one.",
      }));
    return { findings, notJudged: unknownCalls({ outline, instance }) };
  },
};
