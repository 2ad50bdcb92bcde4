/** How much of a window a scan has covered, and what it could not read. */
import { counted } from "../../platform/counted.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import { countOf } from "../store/gaps.ts";
import { RUNS_UNREAD, spoilsCoverage } from "../store/memorable-execution.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import type { KnownCoverage } from "../store/visible-counts.ts";
import type { VisibleHistory } from "../store/visible-history.ts";
import type { ScanResult, ScanStop, SkippedExecution } from "./scan-options.ts";
import { hasWindowEnded, isInWindow } from "./window.ts";

export interface Coverage {
  /** Executions of the window that were looked at, in this call or before, down to the first gap. */
  readonly scannedExecutions: number;
  /** Executions read in this call; one that was read twice counts twice. Includes those below the first gap. */
  readonly readNow: number;
  /** Start of the oldest and the newest scanned execution, ISO 8601. */
  readonly from: string | null;
  readonly to: string | null;
  /** Ids in the window's span for which n8n has no execution: deleted, pruned or never saved; null if unknown. */
  readonly gaps: number | null;
  /** The oldest execution that n8n still has; null if a window or an early stop leaves it unknown. */
  readonly oldestId: string | null;
  /**
   * True if the whole window is covered and n8n returned all of it. `skipped` lists executions that exceed the reading
   * limits; their reason determines whether they count here (`KNOWN_IN_PART`).
   */
  readonly complete: boolean;
  readonly stoppedBy: ScanStop["reason"] | "queue" | "running";
  readonly skipped: readonly SkippedExecution[];
}

/**
 * @param readNow how many executions were read in this call
 * @param skipped what the call itself could not read
 * @param inPart executions that the call could read only in part because of their contents
 */
export function coverageOf(
  visible: VisibleHistory,
  window: TraceWindow,
  result: ScanResult,
  readNow: number,
  skipped: readonly SkippedExecution[],
  inPart: readonly SkippedExecution[] = [],
): Coverage {
  const { reason } = result.stop;
  // Even if n8n lists nothing in the window, its running executions are known.
  const downTo = result.downTo ?? (reason === "complete" ? "1" : null);
  const known = downTo === null ? nothingKnown(readNow) : visible.counts.coverage(window, downTo);
  const unread = unreadQueued(visible, window);
  const { unreadRunning } = known;
  const leftRunning = leftRunningIn(visible, window, result);
  const left = unread > 0 ? "queue" : unreadRunning.count + leftRunning > 0 ? "running" : "complete";
  const stoppedBy = reason === "complete" ? left : reason;
  const unknown = downTo === null ? [] : visible.ofUnknownWorkflow(downTo);
  const passedOver = distinct([
    ...visible.named([...skipped, ...knownRunning(leftRunning)]),
    ...known.problems,
    ...moreProblems(known),
    ...unknown,
  ]);
  const scannedExecutions = known.executions - unreadRunning.counted;
  const isSpoilt = passedOver.length > 0 || known.inPart.some(({ reason }) => spoilsCoverage(reason));
  return {
    scannedExecutions,
    readNow,
    from: known.from,
    to: known.to,
    gaps: window.workflowId === null && visible.isWhole ? gapsIn(known, unread) : null,
    oldestId: isToTheEnd(window) && stoppedBy === "complete" ? known.lowest : null,
    complete: stoppedBy === "complete" && !isSpoilt,
    stoppedBy,
    skipped: distinct([...passedOver, ...visible.named(inPart), ...knownInPart(known)]),
  };
}

/** The result of a scan that may have gone below what the index keeps. */
export function withRemovedStop(result: ScanResult, { stretches }: ExecutionStore): ScanResult {
  const isCut = result.stop.reason === "limit" || result.stop.reason === "time";
  return isCut && stretches.isBelowFloor(result.downTo) ? { ...result, stop: { reason: "removed" } } : result;
}

/** Executions that are still queued cannot have begun in a window that has ended. */
function unreadQueued({ unreadInQueue: look }: VisibleHistory, window: TraceWindow): number {
  return look === null || hasWindowEnded(window, look.at) ? 0 : look.unread;
}

const isToTheEnd = ({ workflowId, startedAfter }: TraceWindow): boolean =>
  workflowId === null && startedAfter === null;

/** n8n assigns ids in ascending order, so each id missing between two others was once assigned. */
function gapsIn({ executions, lowest, highest }: KnownCoverage, unread: number): number | null {
  if (lowest === null || highest === null) return null;
  return Math.max(0, countOf([{ high: highest, low: lowest }]) - executions - unread);
}

/** How many running executions of the window, visible to the caller, were read before but not by this scan. */
export const leftRunningIn = (
  { executions }: VisibleHistory,
  window: TraceWindow,
  { leftRunning }: Pick<ScanResult, "leftRunning">,
): number => executions.withIds([...leftRunning]).filter((one) => isInWindow(window, one)).length;

const nothingKnown = (readNow: number): KnownCoverage => ({
  executions: readNow,
  from: null,
  to: null,
  lowest: null,
  highest: null,
  problems: [],
  problemCount: 0,
  inPart: [],
  unreadRunning: { count: 0, counted: 0, newestId: null },
});

/** Running executions that were read before; `knownInPart` reports those that never were. */
function knownRunning(count: number): SkippedExecution[] {
  if (count === 0) return [];
  const were = counted(count, "running execution was", "running executions were");
  const reason = `${were} not read again in this call and may contain more by now: each further call reads some of them`;
  return [{ executionId: null, reason }];
}

function moreProblems({ problems, problemCount }: KnownCoverage): SkippedExecution[] {
  const more = problemCount - problems.length;
  return more === 0 ? [] : [{ executionId: null, reason: `${more} more could not be read, or only in part` }];
}

/** One row per reason, however many executions share it. */
function knownInPart({ inPart, unreadRunning: { count, newestId } }: KnownCoverage): SkippedExecution[] {
  const unread = newestId === null ? [] : [{ executionId: newestId, reason: RUNS_UNREAD, count }];
  return [...inPart, ...unread].map(({ executionId, reason, count: all }) => {
    const more = all === 1 ? "" : `; the same in ${counted(all - 1, "execution")} before it`;
    return { executionId, reason: reason + more };
  });
}

/** Two scans of one call may have reported the same execution. */
function distinct(skipped: readonly SkippedExecution[]): SkippedExecution[] {
  return [...new Map(skipped.map((one) => [JSON.stringify(one), one])).values()];
}
