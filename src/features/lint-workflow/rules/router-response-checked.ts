import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { textsIn } from "../../../workflows/expressions.ts";
import { MAIN } from "../../../workflows/graph.ts";
import { errorOutputOf } from "../../../workflows/node-outputs.ts";
import { answerOf } from "../answers.ts";
import { isCheck } from "../node-kinds.ts";
import { type AuditRule, found, type RuleFinding } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";
import { callsTool } from "../tool-calls.ts";
import { stepsFrom } from "../tool-flow.ts";

const CODE = "INVALID_TOOL_RESPONSE_STRUCTURE";

export const routerResponseChecked: AuditRule = {
  id: "router/response-checked",
  severity: "warning",
  title: "After the call of a tool, the structure of its answer is checked.",
  reason: "A tool that was changed answers in its own way, and the router hands it on as if it were right.",
  good: `Run Get User → IF status, data and meta.timestamp are there → answer, or ${CODE}`,
  bad: "Run Get User → end",
  appliesTo: ["tool", "router"],
  judge: (subject) =>
    found(
      ...subject.nodes
        .filter((node) => callsTool(node, subject.instance))
        .flatMap((node) => judgeCall(subject, node) ?? []),
    ),
};

function judgeCall(subject: AuditSubject, node: WorkflowNodeWithParameters): RuleFinding | undefined {
  const regular = subject.graph
    .outgoing(node.name, MAIN)
    .filter(({ output }) => output !== errorOutputOf(node))
    .map(({ to }) => to);
  const following = stepsFrom(subject, regular);
  const isChecked = following.some((step) => isCheck(step) && looksAtStatus(step));
  if (!isChecked) return finding(node, "No IF, Switch, Filter or checking code after it looks at status.");
  const isAnswered = following.some((step) => answerOf(step)?.codes.includes(CODE) === true);
  return isAnswered ? undefined : finding(node, `No answer behind the check has the code ${CODE}.`);
}

function looksAtStatus({ parameters }: WorkflowNodeWithParameters): boolean {
  return [...textsIn(parameters)].some(({ text }) => /\bstatus\b/.test(text));
}

const finding = ({ name }: WorkflowNodeWithParameters, evidence: string): RuleFinding => ({
  node: name,
  message: "The answer of the called tool is not checked.",
  evidence,
  fix: `Put an IF after it that checks status, data and meta.timestamp, and answer ${CODE} where they are missing.`,
});
