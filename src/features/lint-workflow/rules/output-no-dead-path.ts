import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { MAIN } from "../../../workflows/graph.ts";
import { countRegularOutputs, errorOutputOf, openOutputs } from "../../../workflows/node-outputs.ts";
import { listAt, parameterAt } from "../../../workflows/node-parameters.ts";
import { isStickyNote, isTriggerType, shortType } from "../../../workflows/node-types.ts";
import { isCritical } from "../node-kinds.ts";
import { type AuditRule, found, type RuleFinding } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";
import { stepsOf } from "../tool-flow.ts";

export const outputNoDeadPath: AuditRule = {
  id: "output/no-dead-path",
  severity: "error",
  title: "No path of a tool leads nowhere, and every node can be reached.",
  reason:
    "Where an IF has one output connected, the other answers nothing at all: the agent waits, or makes up an answer.",
  good: "Both outputs of the IF lead to an answer.",
  bad: "The false output of the IF is not connected.",
  appliesTo: ["tool"],
  judge: (subject) => found(...openPaths(subject), ...unreachable(subject)),
};

function openPaths(subject: AuditSubject): RuleFinding[] {
  const { graph } = subject;
  return stepsOf(subject).flatMap((node) => {
    // With no output connected it is an end, and answers something.
    const isEnd = countRegularOutputs(node) < 2 && graph.outgoing(node.name, MAIN).length === 0;
    const open = openOutputs(graph, node).filter(
      (output) => !(isEnd && output === 0) && !isJudgedElsewhere(node, output),
    );
    return open.map((output) => ({
      node: node.name,
      message: "A path ends at an output that is not connected.",
      evidence: `Output ${output + 1} of ${countRegularOutputs(node)} leads nowhere.`,
      fix: "Connect the output to a node that gives the standard answer.",
    }));
  });
}

/** The error output of a call (critical-nodes), the fallback of a Switch (router), and outputs that no rule uses. */
function isJudgedElsewhere(node: WorkflowNodeWithParameters, output: number): boolean {
  if (output === errorOutputOf(node)) return isCritical(node);
  if (shortType(node.type) !== "switch") return false;
  // The first version always has four.
  if (node.typeVersion < 2) return !outputsOfRules(node).has(output);
  const hasFallback = parameterAt(node.parameters, "options", "fallbackOutput") === "extra";
  return hasFallback && output === countRegularOutputs(node) - 1;
}

function outputsOfRules({ parameters }: WorkflowNodeWithParameters): ReadonlySet<unknown> {
  return new Set(listAt(parameters, "rules", "rules").map((rule) => parameterAt(rule, "output") ?? 0));
}

function unreachable({ graph, nodes }: AuditSubject): RuleFinding[] {
  const live = new Set(nodes.map(({ name }) => name));
  return [...graph.nodes.values()]
    .filter(
      (node) => !live.has(node.name) && !node.disabled && !isStickyNote(node) && !isTriggerType(node.type),
    )
    .map(({ name }) => ({
      node: name,
      message: "The node can never run.",
      evidence: "No connection leads to it from a trigger.",
      fix: "Connect it, or delete it.",
    }));
}
