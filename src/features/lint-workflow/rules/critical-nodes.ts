/** The guide's rules of what happens when a call to something outside the workflow fails. Pure. */

import { MAIN } from "../../../workflows/graph.ts";
import { errorConnections, errorHandlingOf } from "../../../workflows/node-outputs.ts";
import { textsIn } from "../../../workflows/node-parameters.ts";
import { isCheck } from "../node-kinds.ts";
import { type AuditRule, faultsAt } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";
import { criticalSteps, stepsFrom } from "../tool-flow.ts";

/** `$json.error`, `$json?.error`, `$json["error"]`, `$('Node').item.json.error`, `item.json.error`. */
const LOOKS_AT_ERROR = /json\s{0,5}(?:\??\.\s{0,5}error\b|(?:\?\.)?\[["']error["']\])/i;

export const criticalNodesRules: readonly AuditRule[] = [
  {
    id: "critical-nodes/error-handling",
    severity: "error",
    title: "Critical nodes go on when they fail.",
    reason:
      "Otherwise the tool stops, and the agent sees an error from n8n instead of an answer with a code.",
    good: "On Error: Continue (using error output)",
    bad: "On Error: Stop Workflow",
    appliesTo: ["tool"],
    message: "The tool stops when this node fails.",
    fix: "In the node's settings set On Error to Continue (using error output), and connect that output to an error answer.",
    judge: (subject) =>
      faultsAt(
        criticalSteps(subject).filter((node) => errorHandlingOf(node) === "stopWorkflow"),
        "onError is stopWorkflow.",
      ),
  },
  {
    id: "critical-nodes/error-connected",
    severity: "error",
    title: "The failure of a critical node leads to an answer.",
    reason:
      "A node that goes on in spite of its failure, with nobody looking at it, turns a failure into a success.",
    good: "The error output leads to Error: User Service; or an IF looks at $json.error.",
    bad: "Continue is set, and nothing looks at the error.",
    appliesTo: ["tool"],
    message: "Nothing answers when this node fails.",
    fix: "Connect the error output to an error answer.",
    judge: (subject) =>
      criticalSteps(subject).flatMap((node) => {
        const handling = errorHandlingOf(node);
        if (handling === "continueErrorOutput" && errorConnections(subject.graph, node).length === 0)
          return faultsAt([node], "Its error output is not connected.");
        if (handling !== "continueRegularOutput" || isErrorChecked(subject, node.name)) return [];
        const evidence = "No IF, Switch, Filter or code after it looks at $json.error.";
        const fix = "Put an IF on $json.error right after it, or use the error output.";
        return [{ node: node.name, evidence, fix }];
      }),
  },
];

function isErrorChecked(subject: AuditSubject, name: string): boolean {
  const next = subject.graph.outgoing(name, MAIN).map(({ to }) => to);
  return stepsFrom(subject, next)
    .filter(isCheck)
    .some(({ parameters }) => [...textsIn(parameters)].some(({ text }) => LOOKS_AT_ERROR.test(text)));
}
