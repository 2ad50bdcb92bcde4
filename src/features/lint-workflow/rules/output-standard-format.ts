import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { isTriggerType, shortType } from "../../../workflows/node-types.ts";
import { answeringNodes, answerOf, MEMBERS } from "../answers.ts";
import { isCritical } from "../node-kinds.ts";
import { type AuditRule, found, notJudged, PASSED, type RuleOutcome, together } from "../rule.ts";

export const outputStandardFormat: AuditRule = {
  id: "output/standard-format",
  severity: "error",
  title: "Every path of a tool ends in a node that answers { status, data, meta.timestamp }.",
  reason:
    "An agent that gets one shape can tell a failure from an answer; of many shapes it makes what it can.",
  good: '{ status: "success", data: { … }, meta: { timestamp } } from a Code or Edit Fields node',
  bad: "The tool ends with the HTTP Request, and answers whatever the service said.",
  appliesTo: ["tool"],
  judge: (subject) => together(answeringNodes(subject).map(judgeEnd)),
};

function judgeEnd(node: WorkflowNodeWithParameters): RuleOutcome {
  // It answers with an error of n8n's.
  if (shortType(node.type) === "stopAndError") return lacking(node, "It stops the execution.");
  if (isTriggerType(node.type)) return lacking(node, "A path answers what the tool was given.");
  const answer = answerOf(node);
  if (answer === undefined && isCritical(node)) return lacking(node, "It answers what it was answered.");
  if (answer?.members === undefined)
    return notJudged(node.name, "What it hands on is known only when it runs.");
  const { members, hasStrangeStatus } = answer;
  const missing = MEMBERS.filter((member) => !members.has(member));
  if (missing.length > 0) return lacking(node, `Not found in what it sets: ${missing.join(", ")}.`);
  return hasStrangeStatus ? lacking(node, "Its status is neither success nor error.") : PASSED;
}

function lacking({ name }: WorkflowNodeWithParameters, evidence: string): RuleOutcome {
  return found({
    node: name,
    message: "A path of the tool ends without the standard answer.",
    evidence,
    fix: 'End the path with a Code or Edit Fields node that yields status ("success" or "error"), data and meta.timestamp.',
  });
}
