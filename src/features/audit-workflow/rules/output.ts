/** The guide's rules about a tool's answers. Pure. */
import { memberOf } from "../../../json/members.ts";
import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { MAIN } from "../../../workflows/graph.ts";
import { countRegularOutputs, errorOutputOf, openOutputs } from "../../../workflows/node-outputs.ts";
import { listAt } from "../../../workflows/node-parameters.ts";
import { isStickyNote, isTriggerType, shortType } from "../../../workflows/node-types.ts";
import { answeringNodes, answerOf, answersOf, MEMBERS } from "../answers.ts";
import { isCritical } from "../node-kinds.ts";
import { type AuditRule, type Fault, faultsAt, type Verdict } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";
import { stepsOf } from "../tool-flow.ts";

const CODE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;
/** A code that may be shown, because it consists of words only. */
const PLAIN_CODE = /^[A-Za-z][A-Za-z_-]{0,40}$/;

export const outputRules: readonly AuditRule[] = [
  {
    id: "output/standard-format",
    severity: "error",
    appliesTo: ["tool"],
    message: "A path of the tool ends without the standard answer.",
    fix: 'End the path with a Code or Edit Fields node that yields status ("success" or "error"), data and meta.timestamp.',
    judge: (subject) => answeringNodes(subject).flatMap(judgeEnd),
  },
  {
    id: "output/no-dead-path",
    severity: "error",
    appliesTo: ["tool"],
    message: "A path ends at an output that is not connected.",
    fix: "Connect the output to a node that gives the standard answer.",
    judge: (subject) => [
      ...stepsOf(subject).flatMap((node) => openPaths(subject, node)),
      ...faultsAt(unreachable(subject), "No connection leads to it from a trigger.", {
        message: "The node can never run.",
        fix: "Connect it, or delete it.",
      }),
    ],
  },
  {
    id: "output/text-key",
    severity: "warning",
    appliesTo: ["tool"],
    message: "The tool's answers use both message and text.",
    fix: "Use message in all of them.",
    judge: (subject) => {
      const answers = answersOf(subject);
      const nodesWith = (key: "message" | "text"): string[] =>
        answers.filter(({ texts }) => texts.includes(key)).map(({ node }) => node);
      const [message, text] = [nodesWith("message"), nodesWith("text")];
      const [inMessage, inText] = [message[0], text[0]];
      if (inMessage === undefined || inText === undefined) return [];
      const evidence = `message: ${message.join(", ")}; text: ${text.join(", ")}.`;
      return text.length <= message.length
        ? [{ node: inText, evidence }]
        : [{ node: inMessage, evidence, fix: "Use text in all of them." }];
    },
  },
  {
    id: "output/error-codes",
    severity: "warning",
    appliesTo: ["tool"],
    message: "Another node answers with the same code.",
    fix: "Give each failure a code of its own.",
    judge: (subject) => {
      const codes = answersOf(subject)
        .filter(({ isError }) => isError)
        .flatMap((answer) => answer.codes.map((code) => ({ node: answer.node, code })));
      const first = new Map(codes.toReversed().map(({ code, node }) => [code, node]));
      return codes.flatMap(({ node, code }): Fault[] => {
        const shown = PLAIN_CODE.test(code) ? `is ${code}` : "has characters that no code should have";
        const evidence = `The code ${shown}.`;
        if (CODE.test(code)) return first.get(code) === node ? [] : [{ node, evidence }];
        const message = "An error code is not in capitals.";
        return [{ node, evidence, message, fix: "Write it like USER_NOT_FOUND." }];
      });
    },
  },
];

function judgeEnd(node: WorkflowNodeWithParameters): Verdict[] {
  const lacking = (evidence: string): Verdict[] => faultsAt([node], evidence);
  if (shortType(node.type) === "stopAndError") return lacking("It stops the execution.");
  if (isTriggerType(node.type)) return lacking("A path returns what the tool was given.");
  const answer = answerOf(node);
  if (answer === undefined && isCritical(node)) return lacking("It passes on whatever it was answered.");
  if (answer?.members === undefined)
    return [{ node: node.name, reason: "What it passes on is known only when it runs." }];
  const { members, hasStrangeStatus } = answer;
  const missing = MEMBERS.filter((member) => !members.has(member));
  if (missing.length > 0) return lacking(`Not found in what it sets: ${missing.join(", ")}.`);
  return hasStrangeStatus ? lacking("Its status is neither success nor error.") : [];
}

function openPaths({ graph }: AuditSubject, node: WorkflowNodeWithParameters): Fault[] {
  const count = countRegularOutputs(node);
  // A node without any connected output ends the flow, and its items are an answer.
  const isEnd = count < 2 && graph.outgoing(node.name, MAIN).length === 0;
  return openOutputs(graph, node)
    .filter((output) => !(isEnd && output === 0) && !isJudgedElsewhere(node, output))
    .map((output) => ({ node: node.name, evidence: `Output ${output + 1} of ${count} leads nowhere.` }));
}

/** Error outputs of calls (critical-nodes), fallbacks of Switch nodes (router), and outputs that no Switch rule uses. */
function isJudgedElsewhere(node: WorkflowNodeWithParameters, output: number): boolean {
  const { parameters, typeVersion } = node;
  if (output === errorOutputOf(node)) return isCritical(node);
  if (shortType(node.type) !== "switch") return false;
  // The first version always has four outputs.
  if (typeVersion < 2)
    return listAt(parameters, "rules", "rules").every((rule) => (memberOf(rule, "output") ?? 0) !== output);
  const hasFallback = memberOf(parameters, "options", "fallbackOutput") === "extra";
  return hasFallback && output === countRegularOutputs(node) - 1;
}

function unreachable({ graph, nodes }: AuditSubject): WorkflowNodeWithParameters[] {
  const live = new Set(nodes.map(({ name }) => name));
  return [...graph.nodes.values()].filter(
    (node) => !live.has(node.name) && !node.disabled && !isStickyNote(node) && !isTriggerType(node.type),
  );
}
