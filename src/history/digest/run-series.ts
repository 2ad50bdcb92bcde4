/** Runs and failures per hour of a window, or per day or week of a longer one. Pure. */
import { DAY_MS, HOUR_MS, WEEK_MS } from "../../platform/durations.ts";
import { isIn, type Run, type Span, type WorkflowRuns } from "./run.ts";

export interface RunSeries {
  readonly by: "hour" | "day" | "week";
  /** Start of the first step, epoch ms: a full hour or day of UTC. */
  readonly from: number;
  readonly runs: readonly number[];
  /** Their sum equals the total of failures. */
  readonly failures: readonly number[];
}

/** A year has at most this many weeks. */
const MAX_STEPS = 53;
const WEEK = { by: "week", ms: WEEK_MS } as const;
const STEPS = [{ by: "hour", ms: HOUR_MS }, { by: "day", ms: DAY_MS }, WEEK] as const;

/** Runs canceled by a time limit have the status `error` here. */
export const hasFailed = ({ status }: Run): boolean => status === "error" || status === "crashed";

export function seriesOf(workflows: readonly WorkflowRuns[], window: Span): RunSeries {
  const { by, ms } = STEPS.find((step) => (window.to - window.from) / step.ms <= MAX_STEPS) ?? WEEK;
  const full = Math.min(ms, DAY_MS);
  const from = Math.floor(window.from / full) * full;
  const runs = new Array<number>(Math.ceil((window.to - from) / ms)).fill(0);
  const failures = [...runs];
  for (const { runs: own } of workflows)
    for (const run of own) {
      if (!isIn(window, run.startedAt)) continue;
      const step = Math.floor((run.startedAt - from) / ms);
      runs[step] = (runs[step] ?? 0) + 1;
      if (hasFailed(run)) failures[step] = (failures[step] ?? 0) + 1;
    }
  return { by, from, runs, failures };
}
