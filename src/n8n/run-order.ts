/**
 * The order in which the runs of an execution began. Pure.
 *
 * n8n numbers them (`executionIndex`, since about 1.90) from 0 again when it resumes an execution after a wait, and when a
 * retry begins with the runs of the failed one. So the start decides, and the number among runs of one millisecond.
 */
import { Omitted } from "../json/omitted.ts";

interface Run {
  readonly startTime: number;
  executionIndex?: number | undefined;
}

/** Runs of one millisecond are told apart up to this number of runs; as numbers, later ones would lose digits. */
const MOST_APART = 1_000;

/** n8n writes seconds for an execution that it recovers after a crash; as milliseconds they would be of 1970. */
export const toEpochMs = (time: number): number => (time > 1e8 && time < 1e10 ? time * 1_000 : time);

/**
 * A sort key for a run that streams past, when the others are not known yet.
 * @param startTime epoch ms
 * @returns undefined if n8n has written neither
 */
export function runOrderOf(startTime: unknown, executionIndex: unknown): number | undefined {
  const index = typeof executionIndex === "number" ? executionIndex : undefined;
  if (typeof startTime !== "number" || startTime <= 0) return index;
  return toEpochMs(startTime) * MOST_APART + Math.min(index ?? 0, MOST_APART - 1);
}

/** Numbers the runs of an execution anew if n8n has used a number twice. Agents prepare runs without a start: not these. */
export function numberRuns(runData: Readonly<Record<string, Omitted | readonly (Omitted | Run)[]>>): void {
  const runs = Object.values(runData)
    .flatMap((ofNode) => (ofNode instanceof Omitted ? [] : ofNode))
    .filter((run): run is Run & { executionIndex: number } => isNumbered(run));
  if (new Set(runs.map(({ executionIndex }) => executionIndex)).size === runs.length) return;
  runs.sort((a, b) => a.startTime - b.startTime || a.executionIndex - b.executionIndex);
  for (const [index, run] of runs.entries()) run.executionIndex = index;
}

const isNumbered = (run: Omitted | Run): boolean =>
  !(run instanceof Omitted) && run.startTime > 0 && run.executionIndex !== undefined;
