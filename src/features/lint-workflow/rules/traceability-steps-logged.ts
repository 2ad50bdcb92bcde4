import { shortType } from "../../../workflows/node-types.ts";
import { codeOf } from "../code-text.ts";
import { type AuditRule, found, PASSED } from "../rule.ts";

const LOGGING_CODE = /console\.(log|info|warn|error|debug)\s*\(|customData\.set|\bprint\s*\(/;
/** A node that somebody named after what it does. */
const LOGGING_NAME = /\blog(s|ged|ging|ger)?\b|\baudit\b/i;

export const traceabilityStepsLogged: AuditRule = {
  id: "traceability/steps-logged",
  severity: "info",
  title: "A tool logs that it was called, and what it did.",
  reason: "Executions are pruned, logs stay; and custom data makes an execution findable.",
  good: "Start → Log Request",
  bad: "No node that logs or sets custom data",
  appliesTo: ["tool"],
  judge: ({ nodes }) => {
    const logs = nodes.some(
      (node) =>
        shortType(node.type) === "executionData" ||
        LOGGING_NAME.test(node.name) ||
        LOGGING_CODE.test(codeOf(node) ?? ""),
    );
    return logs
      ? PASSED
      : found({
          node: null,
          message: "The tool logs nothing.",
          evidence: "No node logs, sets custom data, or is named after a log.",
          fix: "Log the request id and what was done, or set them with an Execution Data node.",
        });
  },
};
