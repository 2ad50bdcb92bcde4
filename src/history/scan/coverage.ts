/** How much of a window a scan has covered, and what it could not look at. */

import { counted } from "../../platform/counted.ts";
import type { KnownCoverage } from "../store/execution-counts.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import { spoilsCoverage } from "../store/memorable-execution.ts";
import type { TraceWindow } from "../store/trace-window.ts";

import type { ScanResult, ScanStop, SkippedExecution } from "./scan-options.ts";

export interface Coverage {
  /** Executions of the window looked at, now or before. */
  readonly scannedExecutions: number;
  /** How many of them were read in this call; the others were known. */
  readonly readNow: number;
  /** Start of the oldest and newest of them, ISO 8601. */
  readonly from: string | null;
  readonly to: string | null;
  /** Ids of the window's span under which n8n has nothing: deleted, pruned or never saved; null where it is not known. */
  readonly gaps: number | null;
  /** The oldest execution that n8n still has; null where a window or a pause keeps it from being known. */
  readonly oldestId: string | null;
  /**
   * True when the whole window is covered, and n8n gave all of it. What an execution holds beyond the limits of looking
   * stands in `skipped`; whether it counts here, the reason says (`KNOWN_IN_PART`).
   */
  readonly complete: boolean;
  readonly stoppedBy: ScanStop["reason"];
  readonly skipped: readonly SkippedExecution[];
}

/**
 * @param readNow how many executions were read in this call
 * @param skipped what the call itself could not look at
 * @param inPart executions of which the call could not look at all, by what they hold
 */
export function coverageOf(
  store: ExecutionStore,
  window: TraceWindow,
  result: ScanResult,
  readNow: number,
  skipped: readonly SkippedExecution[],
  inPart: readonly SkippedExecution[] = [],
): Coverage {
  const known = result.downTo === null ? nothingKnown(readNow) : store.counts.coverage(window, result.downTo);
  const stoppedBy = result.stop.reason;
  const passedOver = distinct([...skipped, ...known.problems, ...moreProblems(known)]);
  const isSpoilt = passedOver.length > 0 || known.inPart.some(({ reason }) => spoilsCoverage(reason));
  return {
    scannedExecutions: known.executions,
    readNow,
    from: known.from,
    to: known.to,
    gaps: window.workflowId === null ? gapsIn(known) : null,
    oldestId: isToTheEnd(window) && stoppedBy === "complete" ? known.lowest : null,
    complete: stoppedBy === "complete" && !isSpoilt,
    stoppedBy,
    skipped: distinct([...passedOver, ...inPart, ...knownInPart(known)]),
  };
}

const isToTheEnd = ({ workflowId, startedAfter }: TraceWindow): boolean =>
  workflowId === null && startedAfter === null;

/** n8n counts ids up, so that each that is missing between two was once given away. */
function gapsIn({ executions, lowest, highest }: KnownCoverage): number | null {
  if (lowest === null || highest === null) return null;
  const span = BigInt(highest) - BigInt(lowest) + 1n;
  return Math.max(0, Number(span) - executions);
}

const nothingKnown = (readNow: number): KnownCoverage => ({
  executions: readNow,
  from: null,
  to: null,
  lowest: null,
  highest: null,
  problems: [],
  problemCount: 0,
  inPart: [],
});

function moreProblems({ problems, problemCount }: KnownCoverage): SkippedExecution[] {
  const more = problemCount - problems.length;
  return more === 0 ? [] : [{ executionId: null, reason: `${more} more could not be read, or not wholly` }];
}

/** One row for each reason, however many there are. */
const knownInPart = ({ inPart }: KnownCoverage): SkippedExecution[] =>
  inPart.map(({ executionId, reason, count }) => {
    const more = count === 1 ? "" : `; the same in ${counted(count - 1, "execution")} before it`;
    return { executionId, reason: reason + more };
  });

/** Two scans of one call may have said the same. */
function distinct(skipped: readonly SkippedExecution[]): SkippedExecution[] {
  return [...new Map(skipped.map((one) => [JSON.stringify(one), one])).values()];
}
