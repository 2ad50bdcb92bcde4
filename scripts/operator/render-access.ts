/** An access report as text for a terminal. Pure. */
import { counted } from "../../src/platform/counted.ts";
import { toPlainText } from "../ask/plain-text.ts";
import type { AccessReport } from "./operator-client.ts";

export function renderAccess({ keys, hasRules, scopes, rules, instances }: AccessReport): string {
  if (keys === "personal")
    return "N8N_KEYS is personal: each person sees the workflows that their own n8n key lists. n8n decides.";
  if (scopes.length === 0)
    return "No rule means them, or there is no such service token: they see nothing, and cannot sign in.";
  if (!hasRules) return "There are no access rules: whoever may sign in sees every workflow.";
  const lines = [
    `${counted(rules.length, "rule means", "rules mean")} them, at most with ${scopes.join(" ")}:`,
    ...rules.map(
      ({ number, see, scopes: given }) => `  rule ${number}: ${JSON.stringify(see)} ${given.join(" ")}`,
    ),
    ...instances.flatMap(linesOf),
  ];
  return lines.map((line) => toPlainText(line)).join("\n");
}

function linesOf(seen: AccessReport["instances"][number]): string[] {
  if ("error" in seen) return [`${seen.instance}: cannot be shown: ${seen.error.message}`];
  const { instance, all, workflows, unreported, unmatched } = seen;
  const missing = [
    ...(unreported.length === 0
      ? []
      : [`  n8n does not report ${unreported.join(", ")}, so a rule that selects by them gives nothing.`]),
    ...unmatched.map((named) => `  no workflow here has what a rule names: ${named}`),
  ];
  if (all) return [`${instance}: every workflow`, ...missing];
  return [
    `${instance}: ${counted(workflows.length, "workflow")}`,
    ...workflows.map(({ id, name, data }) => `  ${id} ${name}${data ? " (with payload)" : ""}`),
    ...missing,
  ];
}
