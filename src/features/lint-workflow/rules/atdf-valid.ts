import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { counted } from "../../../platform/counted.ts";
import { literalOf } from "../../../workflows/expressions.ts";
import { textAt } from "../../../workflows/node-parameters.ts";
import { TOOL_WORKFLOW } from "../../../workflows/node-types.ts";
import type { InstanceFacts } from "../instance-facts.ts";
import { type AuditRule, found, notJudged, PASSED, type RuleOutcome, together } from "../rule.ts";
import { serverToolNodes } from "../tool-nodes.ts";

export const atdfValid: AuditRule = {
  id: "atdf/valid",
  severity: "error",
  title: "The description of a tool is a valid ATDF block.",
  reason: "It is all that an agent knows of the tool: what is not in it is guessed.",
  good: "description, how_to_use with inputs and outputs, and when_to_use, as YAML",
  bad: "Gets a user.",
  appliesTo: ["server"],
  judge: (subject) =>
    together(
      serverToolNodes(subject)
        .filter(({ type }) => type === TOOL_WORKFLOW)
        .map((node) => judgeDescription(node, subject.instance)),
    ),
};

function judgeDescription(node: WorkflowNodeWithParameters, { readAtdf }: InstanceFacts): RuleOutcome {
  const description = textAt(node.parameters, "description") ?? "";
  const text = literalOf(description);
  if (text === undefined) return notJudged(node.name, "Its description is an expression.");
  const errors = readAtdf(text).findings.filter(
    ({ severity, path }) => severity === "error" && path !== "version",
  );
  const [first] = errors;
  if (first === undefined) return PASSED;
  return found({
    node: node.name,
    message: "The description is no valid ATDF block.",
    evidence: `${counted(errors.length, "problem")}; line ${first.line}: ${first.message}`,
    fix: `${first.fix} validate_atdf tells all of them.`,
  });
}
