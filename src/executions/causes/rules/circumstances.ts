/**
 * What stands around a failure. Facts: `context.itemIndex` is the item, the run's number the turn of a loop; tries are not kept, only
 * `retryOnFail`, `maxTries` and the time of all; `retrySuccessId` means mended; an error workflow's run has mode `error`.
 */
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import { linksOf } from "../../links.ts";
import { partOf, settingOf } from "../execution-view.ts";
import type { CauseId, Finding } from "../finding.ts";
import type { Rule } from "../rule.ts";

/** n8n's own, where a node sets none. */
const USUAL_TRIES = 3;

export const circumstances: Rule = (view) => {
  const { execution, failed, error, runs } = view;
  const findings: Finding[] = [];
  const add = (cause: CauseId, sentence: string, more: Partial<Finding> = {}): void => {
    findings.push({ cause, node: failed?.name ?? null, sentence, confidence: "exact", ...more });
  };
  const { retrySuccessId } = execution;
  if (retrySuccessId !== null)
    add("mended", `A later retry succeeded (execution ${retrySuccessId}).`, {
      node: null,
      executionId: retrySuccessId,
    });
  if (failed?.run !== undefined) {
    const { length } = view.inputOf(failed.run);
    const index = partOf(error, "context", "itemIndex");
    // Whoever throws the error writes it.
    if (typeof index === "number" && Number.isInteger(index) && index >= 0 && index < length && length > 1)
      add("item", `It was item ${index + 1} of the ${length} that ${quoted(failed.name)} was given.`);
    const count = runs.get(failed.name)?.length ?? 0;
    if (count > 1)
      add(
        "loop",
        `It was run ${failed.runIndex + 1} of ${quoted(failed.name)}: ${counted(failed.runIndex, "run")} before it went well.`,
      );
    if (settingOf(failed.node, "retryOnFail") === true) {
      const tries = settingOf(failed.node, "maxTries");
      const times = typeof tries === "number" && tries > 1 && tries < 100 ? tries : USUAL_TRIES;
      add(
        "retries",
        `${quoted(failed.name)} is set to try ${counted(times, "time")}; all tries together took ${failed.run.executionTime} ms.`,
      );
    }
  }
  const handler = partOf(execution.workflowData?.settings, "errorWorkflow");
  if (typeof handler === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(handler) && handler !== "DEFAULT")
    add(
      "error_workflow",
      `Its failures go to the error workflow ${handler}; whether that went well, its own executions say.`,
      {
        node: null,
      },
    );
  const parent = linksOf(execution).parent;
  if (execution.mode === "error" && parent !== null)
    add("error_workflow", `This is the run of an error workflow, for execution ${parent.executionId}.`, {
      executionId: parent.executionId,
    });
  return findings;
};
