/**
 * The coverage of a trace. If the request was found and the whole window was read, an answer gives only the counts;
 * otherwise it gives everything. Pure.
 */
import * as z from "zod";
import { sumOf } from "../../platform/sum-of.ts";
import { coverage } from "../history-scan.ts";

const unsaved = z.looseObject({ workflowName: z.string(), unsaved: z.string() });

export const leanCoverage = coverage
  .partial({ from: true, to: true, gaps: true, oldestId: true, stoppedBy: true, skipped: true })
  .extend({
    searchedForMentions: z.number().optional(),
    unsavedWorkflows: z.array(unsaved).nullable().optional(),
  });

/** `leanCoverage` with defaults for omitted members. */
export const wholeCoverage = coverage.extend({
  from: z.string().nullable().default(null),
  to: z.string().nullable().default(null),
  gaps: z.number().nullable().default(0),
  oldestId: z.string().nullable().default(null),
  stoppedBy: z.string().default("complete"),
  skipped: coverage.shape.skipped.default([]),
  searchedForMentions: z.number().default(0),
  unsavedWorkflows: z.array(unsaved).nullable().default(null),
  error: z.looseObject({ code: z.string() }).optional(),
});
type WholeCoverage = z.infer<typeof wholeCoverage>;

type Lean = "scannedExecutions" | "readNow" | "complete";
type Judged = Pick<WholeCoverage, Lean | "stoppedBy"> & { readonly skipped: readonly unknown[] };

/** @param found whether the request was found */
export function toLeanCoverage<Whole extends Judged>(
  whole: Whole,
  found: boolean,
): Whole | Pick<Whole, Lean> {
  const { scannedExecutions, readNow, complete, stoppedBy, skipped } = whole;
  const isConclusive = found && complete && stoppedBy === "complete" && skipped.length === 0;
  return isConclusive ? { scannedExecutions, readNow, complete } : whole;
}

/** Merges the coverage of several n8n instances. @param hasFailed whether another instance gave no answer */
export function mergeCoverage(
  answers: readonly { readonly instance: string; readonly part: { readonly coverage: WholeCoverage } }[],
  hasFailed: boolean,
): WholeCoverage {
  const all = answers.map(({ part }) => part.coverage);
  const inOrder = (times: readonly (string | null)[]) => times.filter((time) => time !== null).sort();
  const named = <One>(of: (each: WholeCoverage) => readonly One[] | null) =>
    answers.flatMap(({ instance, part }) => (of(part.coverage) ?? []).map((each) => ({ ...each, instance })));
  const stopped = all.find(({ stoppedBy }) => stoppedBy !== "complete")?.stoppedBy ?? "complete";
  return {
    scannedExecutions: sumOf(all, (each) => each.scannedExecutions),
    readNow: sumOf(all, (each) => each.readNow),
    from: inOrder(all.map(({ from }) => from))[0] ?? null,
    to: inOrder(all.map(({ to }) => to)).at(-1) ?? null,
    gaps: all.every(({ gaps }) => gaps !== null) ? sumOf(all, ({ gaps }) => gaps ?? 0) : null,
    // An id is only valid in its own n8n.
    oldestId: null,
    complete: !hasFailed && all.every(({ complete }) => complete),
    stoppedBy: hasFailed ? "n8n" : stopped,
    skipped: named(({ skipped }) => skipped),
    searchedForMentions: sumOf(all, (each) => each.searchedForMentions),
    unsavedWorkflows: all.every(({ unsavedWorkflows }) => unsavedWorkflows === null)
      ? null
      : named(({ unsavedWorkflows }) => unsavedWorkflows),
    error: all.find(({ error }) => error !== undefined)?.error,
  };
}
