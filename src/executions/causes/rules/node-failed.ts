/** The last resort: what our tables know of the error's class, type and code, and that the node failed. */
import { toErrorFacts } from "../../error-sentence.ts";
import type { Finding } from "../finding.ts";
import { failedName, firstSentence, lowerFirst, type Rule } from "../rule.ts";
import { saysOfWorkflow } from "./in-own-words.ts";

export const nodeFailed: Rule = (view) => {
  const { failed, error, execution } = view;
  if (execution.status !== "error") return [];
  const { sentence, code, name, lineNumber } = toErrorFacts(
    error,
    "n8n does not say with what kind of error",
  );
  const facts = [code, name === "other" ? null : name].filter((fact) => fact !== null && fact !== "other");
  const kind = facts.length === 0 ? "" : ` (${facts.join(", ")})`;
  const line = lineNumber === null ? "" : `, at line ${lineNumber}`;
  const ofWorkflow = failed === null ? saysOfWorkflow(error) : null;
  if (ofWorkflow !== null)
    return [
      {
        cause: "not_set_up",
        node: null,
        sentence: `It did not run because ${ofWorkflow}; n8n does not say which.`,
        confidence: "exact",
      },
    ];
  if (failed === null)
    return [
      {
        cause: "node_failed",
        node: null,
        sentence: `It failed${kind}, and n8n does not say at which node: ${lowerFirst(firstSentence(sentence))}.`,
        confidence: "observed",
      },
    ];
  const ran = failed.run === undefined && !view.runs.has(failed.name) ? `, before it ran` : "";
  const finding: Finding = {
    cause: "node_failed",
    node: failed.name,
    sentence: `${failedName(failed.name)}${kind}${line}${ran}: ${lowerFirst(firstSentence(sentence))}.`,
    confidence: "exact",
  };
  return [finding];
};
