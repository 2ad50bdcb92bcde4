/** The guide's rules about workflows that choose which tool they call. Pure. */
import { memberOf, textAt } from "../../../json/members.ts";
import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { MAIN } from "../../../workflows/graph.ts";
import { countRegularOutputs, errorConnections, errorOutputOf } from "../../../workflows/node-outputs.ts";
import { hasText } from "../../../workflows/node-parameters.ts";
import { shortType } from "../../../workflows/node-types.ts";
import { answerOf } from "../answers.ts";
import { isCheck } from "../node-kinds.ts";
import { type AuditRule, faultsAt, type Verdict } from "../rule.ts";
import { type AuditSubject, callsTool } from "../subject.ts";
import { stepsFrom } from "../tool-flow.ts";

const NOT_FOUND = "TOOL_NOT_FOUND";
const INVALID_RESPONSE = "INVALID_TOOL_RESPONSE_STRUCTURE";
const FAILED = "TOOL_EXECUTION_FAILED";

export const routerRules: readonly AuditRule[] = [
  {
    id: "router/fallback-connected",
    severity: "error",
    appliesTo: ["tool", "router"],
    message: "Items that match no rule of the Switch are dropped.",
    fix: `Set Fallback Output to Extra Output, and connect it to an answer with the code ${NOT_FOUND}.`,
    judge: (subject) =>
      subject.nodes
        .filter(({ type }) => shortType(type) === "switch")
        .flatMap((node) => judgeSwitch(subject, node)),
  },
  {
    id: "router/response-checked",
    severity: "warning",
    appliesTo: ["tool", "router"],
    message: "The answer of the called tool is not checked.",
    fix: `Put an IF after it that checks status, data and meta.timestamp, and answer ${INVALID_RESPONSE} where they are missing.`,
    judge: (subject) => subject.toolCalls.flatMap((node) => judgeResponse(subject, node)),
  },
  {
    id: "router/failure-caught",
    severity: "warning",
    appliesTo: ["tool", "router"],
    message: `A failure of the called tool is not answered as ${FAILED}.`,
    fix: `Connect the error output to an answer with the code ${FAILED}.`,
    judge: (subject) => {
      const uncaught = subject.toolCalls.filter((node) => {
        const targets = errorConnections(subject.graph, node).map(({ to }) => to);
        // Without a connected error output nothing is caught, which critical-nodes reports.
        return targets.length > 0 && !answersWith(FAILED, stepsFrom(subject, targets));
      });
      return faultsAt(uncaught, `No answer behind the error output has the code ${FAILED}.`);
    },
  },
];

const answersWith = (code: string, steps: readonly WorkflowNodeWithParameters[]): boolean =>
  steps.some((step) => answerOf(step)?.codes.includes(code) === true);

function judgeSwitch(subject: AuditSubject, node: WorkflowNodeWithParameters): Verdict[] {
  const { graph, roles, instance } = subject;
  const leaving = graph.outgoing(node.name, MAIN);
  const next = leaving.flatMap(({ to }) => graph.nodes.get(to) ?? []);
  const choosesTool = next.some((target) => callsTool(target, instance));
  // In a workflow that is not a tool, the guide has no rule about other Switch nodes.
  if (!choosesTool && !roles.has("tool")) return [];
  if (textAt(node.parameters, "mode") === "expression")
    return [{ node: node.name, reason: "An expression chooses the output." }];
  const fallback = fallbackOutput(node);
  if (fallback === undefined) return faultsAt([node], "There is no fallback output.");
  const targets = leaving.filter(({ output }) => output === fallback).map(({ to }) => to);
  if (targets.length === 0) return faultsAt([node], "The fallback output leads nowhere.");
  if (!choosesTool || answersWith(NOT_FOUND, stepsFrom(subject, targets))) return [];
  return faultsAt([node], `No answer behind the fallback output has the code ${NOT_FOUND}.`);
}

/** A separate output since version 3, before that one of the rules' outputs; undefined when there is none. */
function fallbackOutput(node: WorkflowNodeWithParameters): number | undefined {
  const path = node.typeVersion < 3 ? ["fallbackOutput"] : ["options", "fallbackOutput"];
  const fallback = memberOf(node.parameters, ...path);
  if (fallback === "extra") return countRegularOutputs(node) - 1;
  return typeof fallback === "number" && fallback >= 0 ? fallback : undefined;
}

function judgeResponse(subject: AuditSubject, node: WorkflowNodeWithParameters): Verdict[] {
  const next = subject.graph.outgoing(node.name, MAIN).filter(({ output }) => output !== errorOutputOf(node));
  const following = stepsFrom(
    subject,
    next.map(({ to }) => to),
  );
  if (!following.some((step) => isCheck(step) && hasText(step.parameters, /\bstatus\b/)))
    return faultsAt([node], "No IF, Switch, Filter or checking code after it looks at status.");
  return answersWith(INVALID_RESPONSE, following)
    ? []
    : faultsAt([node], `No answer behind the check has the code ${INVALID_RESPONSE}.`);
}
