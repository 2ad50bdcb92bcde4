/**
 * How far a trace looked, in as few words as it takes: of a request that was found, in a window that was read to its
 * end, only how much that was. Where the answer is not the last word, all of it. Pure.
 */
import * as z from "zod";
import { coverage } from "../params.ts";

const unsaved = z.looseObject({ workflowName: z.string(), unsaved: z.string() });

/** As an answer has it. */
export const leanCoverage = coverage
  .partial({ from: true, to: true, gaps: true, oldestId: true, stoppedBy: true, skipped: true })
  .extend({
    searchedForMentions: z.number().optional(),
    unsavedWorkflows: z.array(unsaved).nullable().optional(),
  });

/** The same with what goes without saying. */
export const wholeCoverage = coverage.extend({
  from: z.string().nullable().default(null),
  to: z.string().nullable().default(null),
  gaps: z.number().nullable().default(0),
  oldestId: z.string().nullable().default(null),
  stoppedBy: z.string().default("complete"),
  skipped: coverage.shape.skipped.default([]),
  searchedForMentions: z.number().default(0),
  unsavedWorkflows: z.array(unsaved).nullable().default(null),
});

interface Covered {
  readonly scannedExecutions: number;
  readonly readNow: number;
  readonly complete: boolean;
  readonly stoppedBy: string;
  readonly skipped: readonly unknown[];
}

/** @param found whether the request was */
export function toLeanCoverage<Whole extends Covered>(
  whole: Whole,
  found: boolean,
): Whole | Pick<Whole, "scannedExecutions" | "readNow" | "complete"> {
  const { scannedExecutions, readNow, complete, stoppedBy, skipped } = whole;
  const isLastWord = found && complete && stoppedBy === "complete" && skipped.length === 0;
  return isLastWord ? { scannedExecutions, readNow, complete } : whole;
}
