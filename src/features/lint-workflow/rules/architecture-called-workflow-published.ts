import { judgeCalls } from "../called-workflows.ts";
import type { AuditRule } from "../rule.ts";

export const architectureCalledWorkflowPublished: AuditRule = {
  id: "architecture/called-workflow-published",
  severity: "error",
  title: "Workflows that are called are published.",
  reason: "Since n8n 2.0, a published workflow can call published ones only: the call fails.",
  good: "SWF_Get_User is published.",
  bad: "SWF_Get_User was saved, and never published.",
  appliesTo: ["any"],
  judge: (subject) => {
    // What is not published itself calls nothing but when somebody tries it out.
    if (!subject.outline.isPublished) return { findings: [], notJudged: [] };
    return judgeCalls(subject, (call, called) =>
      called.isPublished || called.isArchived
        ? undefined
        : {
            node: call.node,
            message: "The workflow that it calls is not published.",
            evidence: `Called: ${called.name} (${called.id}).`,
            fix: "Publish the called workflow.",
          },
    );
  },
};
