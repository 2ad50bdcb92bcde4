import { errorHandlingOf } from "../../../workflows/node-outputs.ts";
import { type AuditRule, found } from "../rule.ts";
import { criticalSteps } from "../tool-flow.ts";

export const criticalNodesErrorHandling: AuditRule = {
  id: "critical-nodes/error-handling",
  severity: "error",
  title: "Critical nodes go on when they fail.",
  reason: "Otherwise the tool stops, and the agent sees an error of n8n's in place of an answer with a code.",
  good: "On Error: Continue (using error output)",
  bad: "On Error: Stop Workflow",
  appliesTo: ["tool"],
  judge: (subject) =>
    found(
      ...criticalSteps(subject)
        .filter((node) => errorHandlingOf(node) === "stopWorkflow")
        .map(({ name }) => ({
          node: name,
          message: "The tool stops when this node fails.",
          evidence: "onError is stopWorkflow.",
          fix: "In the node's settings set On Error to Continue (using error output), and connect that output to an error answer.",
        })),
    ),
};
