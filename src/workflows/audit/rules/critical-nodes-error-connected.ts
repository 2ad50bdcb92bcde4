import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { textsIn } from "../../expressions.ts";
import { MAIN } from "../../graph.ts";
import { errorConnections, errorHandlingOf } from "../../node-outputs.ts";
import { criticalSteps } from "../node-kinds.ts";
import { type AuditRule, found, type RuleFinding } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";

export const criticalNodesErrorConnected: AuditRule = {
  id: "critical-nodes/error-connected",
  severity: "error",
  title: "The failure of a critical node leads to an answer.",
  reason:
    "A node that goes on in spite of its failure, with nobody looking at it, turns a failure into a success.",
  good: "The error output leads to Error: User Service; or an IF looks at $json.error.",
  bad: "Continue is set, and nothing looks at the error.",
  appliesTo: ["tool"],
  judge: ({ graph, nodes }) =>
    found(...criticalSteps(graph, nodes).flatMap((node) => judgeNode(graph, node) ?? [])),
};

function judgeNode(graph: AuditSubject["graph"], node: WorkflowNodeWithParameters): RuleFinding | undefined {
  switch (errorHandlingOf(node)) {
    case "continueErrorOutput":
      return errorConnections(graph, node).length > 0
        ? undefined
        : finding(node, "Its error output is not connected.", "Connect the error output to an error answer.");
    case "continueRegularOutput":
      return isErrorChecked(graph, node.name)
        ? undefined
        : finding(
            node,
            "No node after it looks at $json.error.",
            "Put an IF on $json.error right after it, or use the error output.",
          );
    default:
      return undefined;
  }
}

const LOOKS_AT_ERROR = /\$json(?:\.error\b|\[["']error["']\])|\.json\.error\b/;

function isErrorChecked(graph: AuditSubject["graph"], name: string): boolean {
  const next = graph.outgoing(name, MAIN).flatMap(({ to }) => graph.nodes.get(to) ?? []);
  return next.some(({ parameters }) =>
    [...textsIn(parameters)].some(({ text }) => LOOKS_AT_ERROR.test(text)),
  );
}

function finding({ name }: WorkflowNodeWithParameters, evidence: string, fix: string): RuleFinding {
  return { node: name, message: "Nothing answers when this node fails.", evidence, fix };
}
