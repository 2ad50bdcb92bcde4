/**
 * Reads the executions that belong to a request and that no scan has read, and reads again those that had not
 * ended. What cannot be read is told.
 */
import { ObserverError } from "../platform/errors.ts";
import type { CorrelationDigest } from "./correlation-digest.ts";
import type { KnownFamily, MemorableExecution } from "./execution-memory.ts";
import { type Reading, type ReadOptions, readOne } from "./read-executions.ts";
import { toMemorable } from "./to-memorable.ts";
import type { TraceMemory } from "./trace-memory.ts";
import type { SkippedExecution } from "./trace-state.ts";
import { hasEnded, type TracedExecution } from "./traced-execution.ts";

/** A bound on what one call asks of n8n by single ids. */
const MAX_READS = 100;
const CONCURRENT_READS = 2;

export interface FollowOptions extends ReadOptions {
  readonly memory: TraceMemory;
  readonly digest: CorrelationDigest;
  /** Executions that hold the request id. */
  readonly matchIds: readonly string[];
  /** What is known of their family. */
  readonly family: KnownFamily;
  /** Ids of executions that are known to be as they are remembered. */
  readonly current: ReadonlySet<string>;
}

export interface FollowedFamily {
  readonly executions: readonly TracedExecution[];
  /** True when there are more than could be followed. */
  readonly isCut: boolean;
  readonly skipped: readonly SkippedExecution[];
}

export async function followLinks(options: FollowOptions): Promise<FollowedFamily> {
  const { memory, matchIds, clock, deadline } = options;
  const skipped: SkippedExecution[] = [];
  const tried = new Set<string>();
  for (let { family } = options; ; family = await memory.family(matchIds)) {
    const open = openIds(family, options.current).filter((id) => !tried.has(id));
    const why = open.length === 0 ? null : stopReason(tried.size, clock.now() >= deadline);
    if (why !== null) skipped.push({ executionId: null, reason: why });
    if (open.length === 0 || why !== null)
      return { executions: family.executions, isCut: family.isCut, skipped };
    const batch = open.slice(0, MAX_READS - tried.size);
    for (const id of batch) tried.add(id);
    skipped.push(...(await readAll(batch, options)));
  }
}

function openIds(family: KnownFamily, current: ReadonlySet<string>): string[] {
  const stale = family.executions.filter((execution) => !hasEnded(execution) && !current.has(execution.id));
  return [...family.missing, ...stale.map(({ id }) => id)];
}

function stopReason(reads: number, isLate: boolean): string | null {
  if (reads >= MAX_READS) return `more than ${MAX_READS} linked executions were left to read`;
  return isLate ? "time ran out before all linked executions were read" : null;
}

/** Two at a time. Returns what could not be read. */
async function readAll(ids: readonly string[], options: FollowOptions): Promise<SkippedExecution[]> {
  const open = [...ids];
  const read: MemorableExecution[] = [];
  const skipped: SkippedExecution[] = [];
  const worker = async (): Promise<void> => {
    for (let id = open.shift(); id !== undefined; id = open.shift())
      await readLinked(id, options, (reading) => read.push(toMemorable(reading, options.digest)), skipped);
  };
  await Promise.all(Array.from({ length: CONCURRENT_READS }, worker));
  await options.memory.keep({ executions: read, forgotten: [], empty: [], claims: [], generation: 0 });
  return skipped;
}

async function readLinked(
  id: string,
  options: FollowOptions,
  keep: (reading: Reading) => void,
  skipped: SkippedExecution[],
): Promise<void> {
  try {
    await readOne(id, options, {
      read: keep,
      unreadable: (_id, reason) => skipped.push({ executionId: id, reason: `it is linked, but ${reason}` }),
      vanished: () => {},
    });
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    const reason =
      error.code === "EXECUTION_NOT_FOUND"
        ? "it is linked, but was deleted"
        : `it is linked, but reading it failed with ${error.code}`;
    skipped.push({ executionId: id, reason });
  }
}
