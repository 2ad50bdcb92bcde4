/** Statistics of a list of executions: how many ran, how many failed, how long they took. Pure. */
import type { ExecutionListItem } from "../n8n/schemas.ts";
import { durationMs, isFailedStatus } from "./node-runs.ts";

export type RunStatistics = Readonly<ReturnType<typeof runStatistics>>;

export function runStatistics(executions: readonly ExecutionListItem[]) {
  const durations = executions
    .map(durationMs)
    .filter((duration) => duration !== null)
    .sort((a, b) => a - b);
  return {
    runs: executions.length,
    /** Failed or crashed according to n8n, which counts an answer that reports an error as a success. */
    errors: executions.filter(({ status }) => isFailedStatus(status)).length,
    /** Median and 95th percentile of those that have ended, in milliseconds; null if none has. */
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
    since: executions.at(-1)?.startedAt ?? null,
  };
}

/** Nearest-rank percentile: always one of the values. */
const percentile = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.ceil(sorted.length * share) - 1] ?? null;
