import { codeOf, withoutQuoted } from "../code-text.ts";
import { type AuditRule, found } from "../rule.ts";

/** What is written to n8n's log, or kept beside the execution for everyone who may list it. */
const LOGGING =
  /(?:\bconsole\.(?:log|info|warn|error|debug)|\bcustomData\.set(?:All)?|\bprint)\s{0,5}\(([^;\n]{0,500})/g;
/** Everything that came in: whole items, bodies and headers. */
const WHOLE_ITEMS =
  /[$_]json(?:\.(?:body|headers|query))?\s{0,5}[,)]|[$_]input\.(?:all\(\)|first\(\)|item)(?:\.json)?\s{0,5}[,)]|\b_?items?(?:\[\d+\])?(?:\.json)?\s{0,5}[,)]/;
/** A thing whose name says what it is. */
const SECRET_NAME =
  /headers|authorization|cookie|passw|secret|\b(?:access|refresh|auth|api|bearer)?_?token\b|(?:Access|Refresh|Auth)Token|api_?key|credential/i;

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
        .filter((node) => logsSensitive(codeOf(node) ?? ""))
        .map(({ name }) => ({
          node: name,
          message: "The node logs whole items, headers or secrets.",
          evidence: "A call of console or customData.set with them.",
          fix: "Log ids and states alone.",
        })),
    ),
};

function logsSensitive(code: string): boolean {
  return [...withoutQuoted(code).matchAll(LOGGING)].some(
    ([, logged = ""]) => WHOLE_ITEMS.test(logged) || SECRET_NAME.test(logged),
  );
}
