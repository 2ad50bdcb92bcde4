import { textsIn } from "../../../workflows/expressions.ts";
import { type AuditRule, found } from "../rule.ts";

/** `$env.NAME`, `$env["NAME"]`; in code `process.env.NAME` as well. */
const ENVIRONMENT = /(?:\$env|\bprocess\.env)(?:\.([A-Za-z_]\w*)|\[\s*["'`]([^"'`\]]{1,200})["'`]\s*\])/g;

export const namingEnvironment: AuditRule = {
  id: "naming/environment",
  severity: "info",
  title: "Environment variables begin with ENV_.",
  reason:
    "In an expression, nobody can tell else what comes from the environment and differs between instances.",
  good: "$env.ENV_CALENDAR_URL",
  bad: "$env.CALENDAR_URL",
  appliesTo: ["server", "tool"],
  judge: ({ nodes }) =>
    found(
      ...nodes.flatMap(({ name, parameters }) =>
        [...namesIn(parameters)]
          .filter((variable) => !variable.startsWith("ENV_"))
          .map((variable) => ({
            node: name,
            message: "An environment variable does not begin with ENV_.",
            evidence: `The variable is ${variable}.`,
            fix: "Set it under a name that begins with ENV_, and use that.",
          })),
      ),
    ),
};

function namesIn(parameters: Parameters<typeof textsIn>[0]): Set<string> {
  const texts = [...textsIn(parameters)];
  const matches = texts.flatMap(({ text }) => [...text.matchAll(ENVIRONMENT)]);
  return new Set(matches.flatMap(([, dotted, quoted]) => dotted ?? quoted ?? []));
}
