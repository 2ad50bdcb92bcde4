import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { MAIN, type WorkflowGraph } from "../../graph.ts";
import { countRegularOutputs } from "../../node-outputs.ts";
import { parameterAt, textAt } from "../../node-parameters.ts";
import { shortType } from "../../node-types.ts";
import { type AuditRule, found, notJudged, PASSED, type RuleOutcome, together } from "../rule.ts";

export const routerFallbackConnected: AuditRule = {
  id: "router/fallback-connected",
  severity: "error",
  title: "A Switch has a fallback output, and it is connected.",
  reason: "What no rule takes is dropped without a word: the tool ends without an answer.",
  good: "Fallback output: Extra output → Error: Tool Not Found (TOOL_NOT_FOUND)",
  bad: "Fallback output: None",
  appliesTo: ["tool"],
  judge: ({ graph, nodes }) =>
    together(
      nodes.filter(({ type }) => shortType(type) === "switch").map((node) => judgeSwitch(graph, node)),
    ),
};

function judgeSwitch(graph: WorkflowGraph, node: WorkflowNodeWithParameters): RuleOutcome {
  const { parameters } = node;
  if (textAt(parameters, "mode") === "expression")
    return notJudged(node.name, "Which output it takes is an expression.");
  const fallback =
    parameterAt(parameters, "options", "fallbackOutput") ?? parameterAt(parameters, "fallbackOutput");
  const output = fallback === "extra" ? countRegularOutputs(node) - 1 : fallback;
  // One of the rules' own outputs may serve as the fallback.
  if (typeof output !== "number" || output < 0) return missing(node, "There is no fallback output.");
  const isConnected = graph.outgoing(node.name, MAIN).some((connection) => connection.output === output);
  return isConnected ? PASSED : missing(node, "The fallback output leads nowhere.");
}

function missing({ name }: WorkflowNodeWithParameters, evidence: string): RuleOutcome {
  return found({
    node: name,
    message: "What no rule of the Switch takes is dropped.",
    evidence,
    fix: "Set Fallback Output to Extra Output, and connect it to an answer with the code TOOL_NOT_FOUND.",
  });
}
