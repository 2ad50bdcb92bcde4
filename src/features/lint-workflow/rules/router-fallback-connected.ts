import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { MAIN } from "../../../workflows/graph.ts";
import { countRegularOutputs } from "../../../workflows/node-outputs.ts";
import { parameterAt, textAt } from "../../../workflows/node-parameters.ts";
import { shortType } from "../../../workflows/node-types.ts";
import { answerOf } from "../answers.ts";
import { type AuditRule, found, notJudged, PASSED, type RuleOutcome, together } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";
import { callsTool } from "../tool-calls.ts";
import { stepsFrom } from "../tool-flow.ts";

const CODE = "TOOL_NOT_FOUND";

export const routerFallbackConnected: AuditRule = {
  id: "router/fallback-connected",
  severity: "error",
  title: "A Switch has a fallback output, and it is connected.",
  reason: "What no rule takes is dropped without a word: the tool ends without an answer.",
  good: `Fallback output: Extra output → Error: Tool Not Found (${CODE})`,
  bad: "Fallback output: None",
  appliesTo: ["tool", "router"],
  judge: (subject) => {
    const switches = subject.nodes.filter(({ type }) => shortType(type) === "switch");
    return together(switches.map((node) => judgeSwitch(subject, node)));
  },
};

function judgeSwitch(subject: AuditSubject, node: WorkflowNodeWithParameters): RuleOutcome {
  const choosesTool = targetsOf(subject, node).some((target) => callsTool(target, subject.instance));
  // What else a workflow that is no tool does is its own affair.
  if (!choosesTool && !subject.roles.has("tool")) return PASSED;
  if (textAt(node.parameters, "mode") === "expression")
    return notJudged(node.name, "Which output it takes is an expression.");
  const output = fallbackOutput(node);
  if (output === undefined) return missing(node, "There is no fallback output.");
  const behind = subject.graph.outgoing(node.name, MAIN).filter((each) => each.output === output);
  if (behind.length === 0) return missing(node, "The fallback output leads nowhere.");
  const steps = stepsFrom(
    subject,
    behind.map(({ to }) => to),
  );
  const isAnswered = steps.some((step) => answerOf(step)?.codes.includes(CODE) === true);
  if (!choosesTool || isAnswered) return PASSED;
  return missing(node, `No answer behind the fallback output has the code ${CODE}.`);
}

function targetsOf(
  { graph }: AuditSubject,
  { name }: WorkflowNodeWithParameters,
): WorkflowNodeWithParameters[] {
  return graph.outgoing(name, MAIN).flatMap(({ to }) => graph.nodes.get(to) ?? []);
}

/** An output of its own since version 3, else one of the rules' own; undefined when there is none. */
function fallbackOutput(node: WorkflowNodeWithParameters): number | undefined {
  const { parameters, typeVersion } = node;
  const fallback =
    typeVersion < 3
      ? parameterAt(parameters, "fallbackOutput")
      : parameterAt(parameters, "options", "fallbackOutput");
  if (fallback === "extra") return countRegularOutputs(node) - 1;
  return typeof fallback === "number" && fallback >= 0 ? fallback : undefined;
}

function missing({ name }: WorkflowNodeWithParameters, evidence: string): RuleOutcome {
  return found({
    node: name,
    message: "What no rule of the Switch takes is dropped.",
    evidence,
    fix: `Set Fallback Output to Extra Output, and connect it to an answer with the code ${CODE}.`,
  });
}
