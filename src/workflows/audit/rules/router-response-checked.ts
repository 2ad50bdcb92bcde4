import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { textsIn } from "../../expressions.ts";
import { MAIN, type WorkflowGraph } from "../../graph.ts";
import { errorOutputOf } from "../../node-outputs.ts";
import { spread } from "../../reachability.ts";
import { isCheck } from "../node-kinds.ts";
import { type AuditRule, found } from "../rule.ts";
import { toolCallSteps } from "../tool-calls.ts";

export const routerResponseChecked: AuditRule = {
  id: "router/response-checked",
  severity: "warning",
  title: "After the call of a tool, the structure of its answer is checked.",
  reason: "A tool that was changed answers in its own way, and the router hands it on as if it were right.",
  good: "Run Get User → IF status, data and meta.timestamp are there → answer, or INVALID_TOOL_RESPONSE_STRUCTURE",
  bad: "Run Get User → end",
  appliesTo: ["tool"],
  judge: (subject) =>
    found(
      ...toolCallSteps(subject)
        .filter((node) => !isAnswerChecked(subject.graph, node))
        .map(({ name }) => ({
          node: name,
          message: "The answer of the called tool is not checked.",
          evidence: "No IF, Switch, Filter or checking code after it looks at status.",
          fix: "Put an IF after it that checks status, data and meta.timestamp, and answer INVALID_TOOL_RESPONSE_STRUCTURE where they are missing.",
        })),
    ),
};

function isAnswerChecked(graph: WorkflowGraph, node: WorkflowNodeWithParameters): boolean {
  const starts = graph
    .outgoing(node.name, MAIN)
    .filter(({ output }) => output !== errorOutputOf(node))
    .map(({ to }) => to);
  const following = spread(starts, (name) => graph.outgoing(name, MAIN).map(({ to }) => to));
  return [...following].some((name) => {
    const next = graph.nodes.get(name);
    return next !== undefined && isCheck(next) && looksAtStatus(next);
  });
}

function looksAtStatus({ parameters }: WorkflowNodeWithParameters): boolean {
  return [...textsIn(parameters)].some(({ text }) => /\bstatus\b/.test(text));
}
