import { type AuditRule, found } from "../rule.ts";

const SETTINGS = ["saveDataErrorExecution", "saveDataSuccessExecution"] as const;

export const traceabilityExecutionsSaved: AuditRule = {
  id: "traceability/executions-saved",
  severity: "warning",
  title: "Executions are saved, failed and successful ones.",
  reason: "What is not saved cannot be looked into, and a tool's error answers are successes to n8n.",
  good: "Save failed and successful production executions: Save",
  bad: "Save successful production executions: Do not save",
  appliesTo: ["server", "tool"],
  judge: ({ workflow: { settings } }) => {
    const unset = SETTINGS.filter((setting) => (settings[setting] ?? "DEFAULT") === "DEFAULT");
    return {
      findings: found(
        ...SETTINGS.filter((setting) => settings[setting] === "none").map((setting) => ({
          node: null,
          message: "Executions are not saved.",
          evidence: `settings.${setting} is none.`,
          fix: "Set it to Save in the workflow's settings.",
        })),
      ).findings,
      notJudged:
        unset.length === 0
          ? []
          : [
              {
                node: null,
                reason: `${unset.join(" and ")} follow the instance's default, which the API does not tell.`,
              },
            ],
    };
  },
};
