/** The last resort: reports that the node failed, and what our tables know of the error's class, type and code. */
import { toErrorFacts } from "../../error-sentence.ts";
import type { Rule } from "../rule.ts";
import { knownWorkflowReason } from "./in-own-words.ts";

const UNSAID = { says: "n8n does not say with what kind of error", see: "" };

export const nodeFailed: Rule = ({ failed, error: ownError, execution, runs }) => {
  if (execution.status !== "error") return [];
  const error = toErrorFacts(ownError, UNSAID);
  if (failed !== null) {
    const hasRun = failed.run !== undefined || runs.has(failed.name);
    return [{ kind: "node_failed", node: failed.name, error, hasRun }];
  }
  const reason = knownWorkflowReason(ownError);
  return reason === null
    ? [{ kind: "node_failed.nowhere", node: null, error, confidence: "observed" }]
    : [{ kind: "not_set_up.workflow", node: null, reason }];
};
