import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { textsIn } from "../../../workflows/expressions.ts";
import { MAIN } from "../../../workflows/graph.ts";
import { errorConnections, errorHandlingOf } from "../../../workflows/node-outputs.ts";
import { isCheck } from "../node-kinds.ts";
import { type AuditRule, found, type RuleFinding } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";
import { criticalSteps, stepsFrom } from "../tool-flow.ts";

export const criticalNodesErrorConnected: AuditRule = {
  id: "critical-nodes/error-connected",
  severity: "error",
  title: "The failure of a critical node leads to an answer.",
  reason:
    "A node that goes on in spite of its failure, with nobody looking at it, turns a failure into a success.",
  good: "The error output leads to Error: User Service; or an IF looks at $json.error.",
  bad: "Continue is set, and nothing looks at the error.",
  appliesTo: ["tool"],
  judge: (subject) => found(...criticalSteps(subject).flatMap((node) => judgeNode(subject, node) ?? [])),
};

function judgeNode(subject: AuditSubject, node: WorkflowNodeWithParameters): RuleFinding | undefined {
  switch (errorHandlingOf(node)) {
    case "continueErrorOutput":
      return errorConnections(subject.graph, node).length > 0
        ? undefined
        : finding(node, "Its error output is not connected.", "Connect the error output to an error answer.");
    case "continueRegularOutput":
      return isErrorChecked(subject, node.name)
        ? undefined
        : finding(
            node,
            "No IF, Switch, Filter or code after it looks at $json.error.",
            "Put an IF on $json.error right after it, or use the error output.",
          );
    default:
      return undefined;
  }
}

/** `$json.error`, `$json?.error`, `$json["error"]`, `$('Node').item.json.error`, `item.json.error`. */
const LOOKS_AT_ERROR = /json\s{0,5}(?:\??\.\s{0,5}error\b|(?:\?\.)?\[["']error["']\])/i;

function isErrorChecked(subject: AuditSubject, name: string): boolean {
  const next = subject.graph.outgoing(name, MAIN).map(({ to }) => to);
  return stepsFrom(subject, next)
    .filter(isCheck)
    .some(({ parameters }) => [...textsIn(parameters)].some(({ text }) => LOOKS_AT_ERROR.test(text)));
}

function finding({ name }: WorkflowNodeWithParameters, evidence: string, fix: string): RuleFinding {
  return { node: name, message: "Nothing answers when this node fails.", evidence, fix };
}
