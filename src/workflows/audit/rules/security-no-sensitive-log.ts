import { codeOf } from "../node-kinds.ts";
import { type AuditRule, found } from "../rule.ts";

/** What is written to n8n's log, or kept beside the execution for everyone who may list it. */
const LOGGING =
  /(?:console\.(?:log|info|warn|error|debug)|customData\.set(?:All)?|\bprint)\s*\(([^;\n]{0,500})/g;
/** Everything that came in, or a thing whose name says what it is. */
const SENSITIVE =
  /JSON\.stringify\(|\$json\s*[,)]|\$input\.(?:all|first|item)\b|\bitems?\s*[,)]|headers|authorization|cookie|passw|secret|token|api_?key|credential/i;

export const securityNoSensitiveLog: AuditRule = {
  id: "security/no-sensitive-log",
  severity: "warning",
  title: "Nothing sensitive is logged.",
  reason: "Logs and custom data are read by more people than executions, and kept for longer.",
  good: 'console.log("request " + $json.request_id)',
  bad: "console.log(JSON.stringify($json))",
  appliesTo: ["server", "tool", "error_workflow"],
  judge: ({ nodes }) =>
    found(
      ...nodes
        .filter((node) =>
          [...(codeOf(node) ?? "").matchAll(LOGGING)].some(([, logged]) => SENSITIVE.test(logged ?? "")),
        )
        .map(({ name }) => ({
          node: name,
          message: "The node logs whole items, headers or secrets.",
          evidence: "A call of console or customData.set with them.",
          fix: "Log ids and states alone.",
        })),
    ),
};
