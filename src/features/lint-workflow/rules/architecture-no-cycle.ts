import { type AuditRule, found, PASSED } from "../rule.ts";

export const architectureNoCycle: AuditRule = {
  id: "architecture/no-cycle",
  severity: "error",
  title: "No workflow calls itself, directly or through others.",
  reason: "n8n has no limit on how deep calls go: a circle runs until the instance has no memory left.",
  good: "SWF_A calls SWF_B, which calls none.",
  bad: "SWF_A calls SWF_B, which calls SWF_A.",
  appliesTo: ["any"],
  judge: ({ workflow, outline, instance }) => {
    const cycle = instance.cycles.find((ids) => ids.includes(workflow.id));
    if (cycle === undefined) return PASSED;
    const names = cycle.map((id) => instance.workflows.get(id)?.name ?? id);
    const call = outline.calls.find(
      ({ reference }) => reference.kind === "id" && cycle.includes(reference.workflowId),
    );
    return found({
      node: call?.node ?? null,
      message:
        cycle.length === 1 ? "The workflow calls itself." : "The workflow is part of a circle of calls.",
      evidence: `In the circle: ${names.join(", ")}.`,
      fix: "Move what both need into a sub-workflow that calls neither of them.",
    });
  },
};
