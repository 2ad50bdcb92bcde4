/**
 * Fact: IF and Filter keep what does not fit at their other output, a Switch without a match sends nothing, a Merge that waits
 * for an input has `main: []` and a null source; whatever stands behind does not run, and n8n calls it a success. Many workflows
 * are made so: it is told only where nothing at all was done after it, and as an observation.
 */

import type { NodeRun } from "../../../n8n/schemas.ts";
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import { dataOutputs } from "../../node-runs.ts";
import { type ExecutionView, goesOn } from "../execution-view.ts";
import type { Finding } from "../finding.ts";
import type { Rule } from "../rule.ts";

export const nothingCameOfIt: Rule = (view) => {
  if (view.isWithheld || !view.hasConnections || view.execution.status !== "success") return [];
  return [...view.runs].flatMap(([name, runs]) => {
    const run = runs.at(-1);
    if (run === undefined || !isMain(run)) return [];
    const after = nodesAfter(view, name);
    if (after.length === 0 || after.some((node) => view.runs.has(node))) return [];
    if (!isLastThatRan(view, name) || goesOn(view.nodes.get(name)) === "error output") return [];
    const finding = endedAt(view, name, run, after);
    return finding === null ? [] : [finding];
  });
};

const isMain = ({ data }: NodeRun): boolean =>
  data === undefined || Object.keys(data).length === 0 || "main" in data;

/** The nodes that its outputs lead to. */
function nodesAfter({ nodes, targetsOf }: ExecutionView, name: string): string[] {
  const targets = targetsOf(name)
    .flat()
    .map(({ node }) => node);
  return [...new Set(targets)].filter((node) => nodes.has(node) && nodes.get(node)?.disabled !== true);
}

/** Nothing that leads nowhere else was done after it. */
function isLastThatRan({ runs }: ExecutionView, name: string): boolean {
  const ends = (run: NodeRun | undefined): number => run?.executionIndex ?? run?.startTime ?? 0;
  const own = ends(runs.get(name)?.at(-1));
  return [...runs].every(([other, of]) => other === name || ends(of.at(-1)) < own);
}

function endedAt(view: ExecutionView, name: string, run: NodeRun, after: readonly string[]): Finding | null {
  const outputs = dataOutputs(run.data);
  const sent = outputs.reduce((sum, { length }) => sum + length, 0);
  const given = view.inputOf(run).length;
  const [next = ""] = after;
  const skipped = `so ${quoted(next)}${after.length > 1 ? ` and ${counted(after.length - 1, "other")}` : ""} did not run`;
  const found = (finding: Pick<Finding, "cause" | "sentence">): Finding => ({
    node: name,
    confidence: "observed",
    ...finding,
  });
  if (sent > 0) {
    const at = outputs.flatMap(({ length }, index) => (length > 0 ? [index] : []));
    if (at.some((index) => (view.targetsOf(name)[index] ?? []).length > 0)) return null;
    return found({
      cause: "dropped",
      sentence: `All ${counted(sent, "item")} left ${quoted(name)} by ${at.map((index) => `output ${index + 1}`).join(" and ")}, where nothing is connected, ${skipped}.`,
    });
  }
  if (run.source.some((source) => source === null) && run.source.length > 1)
    return found({
      cause: "input_missing",
      sentence: `${quoted(name)} had nothing at one of its inputs and sent nothing, ${skipped}.`,
    });
  if (run.source.length === 0) return null;
  const isFetch = outputs.length <= 1 && given <= 1 && !PASSES.test(view.nodes.get(name)?.type ?? "");
  return isFetch
    ? found({ cause: "nothing_fetched", sentence: `${quoted(name)} gave no items, ${skipped}.` })
    : found({
        cause: "nothing_passed",
        sentence: `${quoted(name)} let none of ${counted(given, "item")} through, ${skipped}.`,
      });
}

const PASSES = /\.(?:if|filter|switch|removeDuplicates|limit|splitOut|merge|compareDatasets|splitInBatches)$/;
