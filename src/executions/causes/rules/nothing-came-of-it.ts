/**
 * Fact: IF and Filter keep what does not fit at their other output, a Switch without a match sends nothing, a Merge that waits
 * for an input has `main: []` and a null source; whatever stands behind does not run, and n8n calls it a success. Many workflows
 * are made so: it is told only where nothing at all was done after it, and as an observation. Execute Workflow has one output, and hands on
 * all outputs of the sub-workflow's last node.
 */

import type { NodeRun } from "../../../n8n/schemas.ts";
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import { dataOutputs } from "../../node-runs.ts";
import { type ExecutionView, goesOn } from "../execution-view.ts";
import { itemsReadBy, originOf } from "../field-origin.ts";
import { type FieldReference, pathText } from "../field-references.ts";
import type { Finding } from "../finding.ts";
import { fieldsTested, isInNone } from "../named-fields.ts";
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
  const type = view.nodes.get(name)?.type ?? "";
  const all = dataOutputs(run.data);
  const outputs = CALLS.test(type) ? all.slice(0, 1) : all;
  const sent = outputs.reduce((sum, { length }) => sum + length, 0);
  const given = view.inputOf(run).length;
  const [next = ""] = after;
  const skipped = `so ${quoted(next)}${after.length > 1 ? ` and ${counted(after.length - 1, "other")}` : ""} did not run`;
  const untold = fieldsTested(view.nodes.get(name)).find((reference) => isInNone(view, name, reference));
  const found = ({ cause, sentence }: Pick<Finding, "cause" | "sentence">): Finding => ({
    cause,
    node: name,
    confidence: "observed",
    ...(untold === undefined
      ? { sentence }
      : { field: pathText(untold.path), sentence: `${sentence} ${whatIsNotThere(view, name, untold)}` }),
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
  const counts = run.source.map(
    (_source, input) => view.inputOf({ ...run, source: [run.source[input] ?? null] }).length,
  );
  if (JOINS.test(type) && counts.length > 1)
    return found({
      cause: "nothing_passed",
      sentence: `${quoted(name)} was given ${listed(counts)} items and joined none of them, ${skipped}.`,
    });
  const isFetch = outputs.length <= 1 && (given <= 1 || CALLS.test(type)) && !PASSES.test(type);
  return isFetch
    ? found({ cause: "nothing_fetched", sentence: `${quoted(name)} gave no items, ${skipped}.` })
    : found({
        cause: "nothing_passed",
        sentence: `${quoted(name)} let none of ${counted(given, "item")} through, ${skipped}.`,
      });
}

const PASSES = /\.(?:if|filter|switch|removeDuplicates|limit|splitOut|merge|compareDatasets|splitInBatches)$/;
const CALLS = /\.executeWorkflow$/;
const JOINS = /\.merge$/;

const listed = (counts: readonly number[]): string =>
  `${counts.slice(0, -1).join(", ")} and ${counts.at(-1) ?? 0}`;

/** Of what a condition tests. */
function whatIsNotThere(view: ExecutionView, name: string, reference: FieldReference): string {
  const [item] = itemsReadBy(view, { run: view.runs.get(name)?.[0] }, reference);
  const from = item === undefined ? name : originOf(view, item, reference.path).from;
  return `${quoted(pathText(reference.path))}, which it tests, is in nothing that ${quoted(from)} sent.`;
}
