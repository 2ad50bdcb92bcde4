/** How far a scan has looked, in words and figures. */
import type { KnownCoverage } from "./execution-memory.ts";
import type { ScanResult, ScanStop } from "./scan.ts";
import type { TraceMemory } from "./trace-memory.ts";
import type { SkippedExecution } from "./trace-state.ts";
import type { TraceWindow } from "./trace-window.ts";

export interface Coverage {
  /** Executions of the window that were looked at, now or before. */
  readonly scannedExecutions: number;
  /** How many of them n8n was asked for in this call; the others were known. */
  readonly readNow: number;
  /** Start of the oldest and newest of them, ISO 8601. */
  readonly from: string | null;
  readonly to: string | null;
  /** True when the whole window is covered. */
  readonly complete: boolean;
  readonly stoppedBy: ScanStop["reason"];
  readonly skipped: readonly SkippedExecution[];
}

/**
 * @param readNow how many executions were read in this call
 * @param skipped what the call itself could not look at
 */
export async function coverageOf(
  memory: TraceMemory,
  window: TraceWindow,
  { stop, downTo }: ScanResult,
  readNow: number,
  skipped: readonly SkippedExecution[],
): Promise<Coverage> {
  const known =
    downTo === null
      ? { executions: readNow, from: null, to: null, problems: [], problemCount: 0 }
      : await memory.coverage(window, downTo);
  return {
    scannedExecutions: known.executions,
    readNow,
    from: known.from,
    to: known.to,
    complete: stop.reason === "complete",
    stoppedBy: stop.reason,
    skipped: distinct([...skipped, ...known.problems, ...moreProblems(known)]),
  };
}

function moreProblems({ problems, problemCount }: KnownCoverage): SkippedExecution[] {
  const more = problemCount - problems.length;
  return more === 0 ? [] : [{ executionId: null, reason: `${more} more could not be read, or not wholly` }];
}

/** Two scans of one call may have said the same. */
function distinct(skipped: readonly SkippedExecution[]): SkippedExecution[] {
  return [...new Map(skipped.map((one) => [JSON.stringify(one), one])).values()];
}
