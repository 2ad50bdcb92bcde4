/** Reads what a requested window still needs from n8n, and determines how far back it is completely known. */
import * as z from "zod";
import { UNKNOWN_SHAPE } from "../../n8n/schemas.ts";
import { DAY_MS } from "../../platform/durations.ts";
import { type Coverage, coverageOf, withRemovedStop } from "../scan/coverage.ts";
import type { QueryDependencies } from "../scan/query-dependencies.ts";
import type { ScanResult } from "../scan/scan-options.ts";
import { readSoFar, type StopFacts, stopFacts } from "../scan/stop-facts.ts";
import type { VisibleHistory } from "../store/visible-history.ts";
import { iso, type Span } from "./run.ts";

/** How far n8n's clock may be ahead. */
const MAX_AHEAD_MS = DAY_MS;
/** If more than a hundred executions have ended since the last look, each look reads a hundred. */
const MAX_LOOKS_AGAIN = 3;
/** The number of ids examined below and above the lowest one read. */
const NEAR_THE_END = { below: 100, above: 10 };
/** Maximum executions per call; the next call reads the rest. */
const MAX_READ = 50_000;

/** If there was no complete look for this answer: the time of the last one, epoch ms; null if there was none. */
export type KnownAsOf = { readonly at: number | null } | null;

/** How well a window is known once it was covered. */
export interface KnownWindow {
  /** Epoch ms from which everything is known: at best the start that was asked for. Null for nothing. */
  readonly knownSince: number | null;
  readonly knownAsOf: KnownAsOf;
  /** Some unfinished executions are known only in an earlier state. */
  readonly isOutdated: boolean;
  /** Some executions have an unknown shape. */
  readonly lacksUnknown: boolean;
  readonly stop: StopFacts;
}

export interface CoveredWindow extends KnownWindow {
  readonly coverage: Coverage;
  /** Epoch ms until which executions are known: what seems silent may have run since. */
  readonly asOf: number;
}

export interface AskedWindow {
  /** Epoch ms. */
  readonly window: Span;
  /** Whether it ends now, or ended a moment ago. */
  readonly isUntilNow: boolean;
  /** Whether executions that began after the window's end, even a moment ago, are excluded. */
  readonly hasEnd: boolean;
}

/**
 * Reads what the index does not know yet, as far as time allows. @param since the window's start, epoch ms
 * @throws ObserverError an `N8N_…` code when n8n failed before anything was known
 */
export async function cover(
  workflowId: string | null,
  since: number,
  { window, isUntilNow, timeBudgetMs }: AskedWindow & { readonly timeBudgetMs: number },
  { store, scans, sources, known, progress, disconnected }: QueryDependencies,
): Promise<CoveredWindow> {
  const startedBefore = isUntilNow ? null : iso(window.to);
  const covered = { workflowId, startedAfter: iso(since), startedBefore };
  const askedAt = sources.clock.now();
  await progress(0, "Checking what is new");
  const deadline = askedAt + timeBudgetMs;
  const look = async (): Promise<ScanResult> =>
    await scans.cover(covered, sources, {
      deadline,
      limit: MAX_READ,
      searchTarget: null,
      disconnected,
      onRead: () => {},
      onPage: async (read, back) => {
        // A shared scan reads executions of all workflows.
        if (read > 0 && known.isWhole) await progress(read, readSoFar(read, back));
      },
    });
  // Like a look: queued executions have not begun, and those of an unknown shape have no known workflow.
  const unfinished = () =>
    store.executions
      .unfinishedIn(covered)
      .filter(({ status, workflowId: of }) => status !== "new" && of !== "");
  let before = unfinished().length;
  let result = await look();
  const leftBy = ({ current }: ScanResult) => unfinished().filter(({ id }) => !current.has(id));
  // One look reads only some of the executions that have changed since the last.
  for (let looks = 0; looks < MAX_LOOKS_AGAIN && sources.clock.now() < deadline; looks += 1) {
    const now = unfinished().length;
    if (result.stop.reason !== "complete" || now >= before || leftBy(result).length === 0) break;
    before = now;
    const next = await look();
    if (next.stop.reason !== "complete") break;
    result = { ...next, read: result.read + next.read };
  }
  result = withRemovedStop(result, store);
  if ("error" in result.stop && known.counts.all === 0) throw result.stop.error;
  const coverage = coverageOf(known, covered, result, known.isWhole ? result.read : 0, result.skipped);
  const { syncedAt } = store.lookTimes;
  const isLookedAt = result.stop.reason === "complete" || (syncedAt !== null && syncedAt >= askedAt);
  const lookedAt = isLookedAt ? Math.max(askedAt, syncedAt ?? askedAt) : (syncedAt ?? askedAt);
  return {
    coverage,
    isOutdated:
      result.stop.reason === "complete" && known.executions.withIds(idsOf(leftBy(result))).length > 0,
    // Restricted views do not learn whether hidden workflows have such executions.
    lacksUnknown: known.isWhole && coverage.skipped.some(({ reason }) => reason === UNKNOWN_SHAPE),
    asOf: Math.min(window.to, lookedAt),
    knownSince: knownSinceOf(coverage, since, () => newestStartAtTheEnd(known, result.downTo)),
    knownAsOf: isLookedAt ? null : { at: syncedAt },
    stop: stopFacts(result.stop),
  };
}

/** An open window includes what n8n has begun by its own clock, even if that is hours ahead of ours. */
export function untilNewest(
  { window, hasEnd }: AskedWindow,
  { known }: Pick<QueryDependencies, "known">,
): Span {
  const newest = known.counts.newestStart;
  if (hasEnd || newest === null) return window;
  const end = Date.parse(newest) + 1;
  // A clock that was wrong once must not extend the window by centuries.
  return end > window.to + MAX_AHEAD_MS ? window : { ...window, to: Math.max(window.to, end) };
}

/** Epoch ms from which everything is known; null for nothing. @param wanted the earliest possible result */
function knownSinceOf(
  { stoppedBy, from }: Coverage,
  wanted: number,
  newestStart: () => string | null,
): number | null {
  // Running and queued executions have not failed.
  if (["complete", "queue", "running"].includes(stoppedBy)) return wanted;
  const start = from === null ? null : newestStart();
  return start === null ? null : Math.max(wanted, Date.parse(start));
}

const idsOf = (all: readonly { readonly id: string }[]): string[] => all.map(({ id }) => id);

const startRow = z.object({ startedAt: z.string().nullable() });

/** Near the lowest id read: executions missing below it may have been queued as long as these. */
function newestStartAtTheEnd({ sql }: VisibleHistory, downTo: string | null): string | null {
  const near = (which: string, most: number): string =>
    `SELECT * FROM (SELECT started_at FROM executions WHERE id ${which} LIMIT ${most})`;
  const above = near(">= CAST(?1 AS INTEGER) ORDER BY executions.id", NEAR_THE_END.above);
  const below = near("< CAST(?1 AS INTEGER) ORDER BY executions.id DESC", NEAR_THE_END.below);
  const query = `SELECT MAX(started_at) AS startedAt FROM (${above} UNION ALL ${below})`;
  return downTo === null ? null : sql.row(startRow, query, downTo).startedAt;
}
