/** The facts about one execution, and about one workflow's executions, that a digest uses. No payload. */
import type { ExecutionStatus } from "../../n8n/schemas.ts";
import { HOUR_MS } from "../../platform/durations.ts";

/** Times are epoch ms. */
export interface Run {
  readonly id: string;
  readonly mode: string;
  readonly status: ExecutionStatus;
  readonly startedAt: number;
  /** Null while it runs. */
  readonly stoppedAt: number | null;
  readonly waitTill: number | null;
  /** Null if it was not read, or only in part. */
  readonly nodes: number | null;
  readonly items: number | null;
  /** Errors that the run caught. */
  readonly caught: number | null;
  /** Distinguishes the versions of one workflow; null if n8n does not say which one ran. */
  readonly version: string | null;
  /** Null unless it failed. */
  readonly failure: RunFailure | null;
}

export interface RunFailure {
  readonly node: string | null;
  readonly errorClass: string | null;
  readonly httpStatus: number | null;
  /** Digest of the host that was called; null if there was none, or the caller may not know it. */
  readonly host: string | null;
  /** The same for errors of one kind; null if the caller may not know what they say. */
  readonly cause: string | null;
}

export interface WorkflowRuns {
  readonly workflowId: string;
  readonly runs: readonly Run[];
}

/** Epoch ms; `to` is exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The runs that a digest covers: those of one workflow, or of all with null. */
export interface RowSpan {
  readonly workflowId: string | null;
  readonly window: Span;
}

export const isIn = ({ from, to }: Span, time: number): boolean => time >= from && time < to;

/** A window may begin with up to this share of silence although n8n has deleted nothing of it. */
const QUIET_SHARE = 0.1;

/** Whether n8n may have deleted the start of a window. @param oldest oldest known start, epoch ms; null if none */
export const mayLackStart = ({ from, to }: Span, oldest: number | null): oldest is number =>
  oldest !== null && oldest > from + QUIET_SHARE * (to - from);

export const iso = (time: number): string => new Date(time).toISOString();

export const shifted = ({ from, to }: Span, by: number): Span => ({ from: from + by, to: to + by });

/** Milliseconds from start to end; null while it runs. */
export const durationOf = ({ startedAt, stoppedAt, status }: Run): number | null =>
  stoppedAt === null || status === "waiting" || status === "running"
    ? null
    : Math.max(0, stoppedAt - startedAt);

/** Of the runs that have ended. */
export const durationsOf = (runs: readonly Run[]): number[] => runs.flatMap((run) => durationOf(run) ?? []);

/** Covers the weekend of people in all time zones. */
const ZONES_MS = 14 * HOUR_MS;

export function isNearWeekend({ from, to }: Span): boolean {
  for (let time = from - ZONES_MS; time < to + ZONES_MS + HOUR_MS; time += HOUR_MS)
    if ([0, 6].includes(new Date(time).getUTCDay())) return true;
  return false;
}
