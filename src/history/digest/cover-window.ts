/** What a window that is asked about may still need from n8n, and how far back everything in it is known then. */
import * as z from "zod";
import { DAY_MS } from "../../platform/durations.ts";
import { readRows, type Sql } from "../../platform/sql.ts";
import { type Coverage, coverageOf, hasLeftSome, mayMissSome } from "../scan/coverage.ts";
import type { QueryDependencies } from "../scan/query-dependencies.ts";
import type { ScanResult } from "../scan/scan-options.ts";
import { readSoFar, stopFacts } from "../scan/stop-facts.ts";
import { iso, type Span } from "./run.ts";

/** How far n8n's clock may be ahead. */
const MAX_AHEAD_MS = DAY_MS;
/** About a page. */
const AT_THE_END = 100;
/** In one call; what is left is read by the next. */
const MAX_READ = 50_000;

/** Where what is new could not be looked at for an answer: when it was before, epoch ms; null for never. */
export type KnownAsOf = { readonly at: number | null } | null;

export interface AskedWindow {
  /** Epoch ms. */
  readonly window: Span;
  /** Whether it ends now, or a moment ago. */
  readonly isUntilNow: boolean;
  /** Whether what began after the window, even a moment ago, is not in it. */
  readonly hasEnd: boolean;
}

/**
 * Reads what the index does not know yet, as far as time allows. @param since the window's start, epoch ms
 * @returns also since when everything is known: at best since that start, null for nothing; as of when (`asOf`); and whether
 * some may be missing, or known as they were before (`missesSome`)
 * @throws ObserverError an `N8N_…` code when n8n failed before anything was known
 */
export async function cover(
  workflowId: string | null,
  since: number,
  { window, isUntilNow, timeBudgetMs }: AskedWindow & { readonly timeBudgetMs: number },
  { store, scans, sources, known, progress, gone }: QueryDependencies,
) {
  const startedBefore = isUntilNow ? null : iso(window.to);
  const covered = { workflowId, startedAfter: iso(since), startedBefore };
  const askedAt = sources.clock.now();
  await progress(0, "Looking at what is new");
  const deadline = askedAt + timeBudgetMs;
  const look = async (): Promise<ScanResult> =>
    await scans.cover(covered, sources, {
      deadline,
      limit: MAX_READ,
      searchTarget: null,
      gone,
      onRead: () => {},
      onPage: async (read, back) => {
        // A scan reads for all who ask.
        if (read > 0 && known.isWhole) await progress(read, readSoFar(read, back));
      },
    });
  let result = await look();
  // A look reads only so many of those that went on since the last.
  const unfinished = (): number => store.executions.unfinishedIn(covered).length;
  for (let left = unfinished(); hasLeftSome(result) && sources.clock.now() < deadline; ) {
    result = await look();
    const before = left;
    left = unfinished();
    if (left >= before) break;
  }
  if ("error" in result.stop && known.counts.all === 0) throw result.stop.error;
  const coverage = coverageOf(known, covered, result, known.isWhole ? result.read : 0, result.skipped);
  const { syncedAt } = store.lookTimes;
  const isLookedAt = result.stop.reason === "complete" || (syncedAt !== null && syncedAt >= askedAt);
  const lookedAt = isLookedAt ? Math.max(askedAt, syncedAt ?? askedAt) : (syncedAt ?? askedAt);
  return {
    coverage,
    missesSome: mayMissSome(coverage, result),
    asOf: Math.min(window.to, lookedAt),
    knownSince: knownSinceOf(coverage, since, () => newestStartAtTheEnd(known.sql, result.downTo)),
    knownAsOf: isLookedAt ? null : { at: syncedAt },
    stop: stopFacts(result.stop),
  };
}

/** A window without an end has what n8n has begun by its own clock, even if that is hours ahead of ours. */
export function untilNewest(
  { window, hasEnd }: AskedWindow,
  { known }: Pick<QueryDependencies, "known">,
): Span {
  const newest = known.counts.newestStart;
  if (hasEnd || newest === null) return window;
  // A clock that was wrong once must not make it last for centuries.
  const end = Math.min(Date.parse(newest) + 1, window.to + MAX_AHEAD_MS);
  return { ...window, to: Math.max(window.to, end) };
}

/** Epoch ms from which everything is known; null for nothing. @param wanted at best since then */
function knownSinceOf(
  { stoppedBy, from }: Coverage,
  wanted: number,
  newestStart: () => string | null,
): number | null {
  // What runs, or waits in n8n's queue, has not failed.
  if (["complete", "queue", "running"].includes(stoppedBy)) return wanted;
  const start = from === null ? null : newestStart();
  return start === null ? null : Math.max(wanted, Date.parse(start));
}

const startRow = z.object({ startedAt: z.string().nullable() });

/** Near the lowest that was read: what is missing below it may have waited in n8n's queue as long as these. */
function newestStartAtTheEnd(sql: Sql, downTo: string | null): string | null {
  const near = (which: string): string =>
    `SELECT * FROM (SELECT started_at FROM executions WHERE id ${which} LIMIT ${AT_THE_END})`;
  const query = `SELECT MAX(started_at) AS startedAt FROM (${near(">= CAST(?1 AS INTEGER) ORDER BY id")}
    UNION ALL ${near("< CAST(?1 AS INTEGER) ORDER BY executions.id DESC")})`;
  return downTo === null ? null : (readRows(sql, startRow, query, downTo)[0]?.startedAt ?? null);
}
