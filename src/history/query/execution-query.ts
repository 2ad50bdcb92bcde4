/**
 * "How many, how often, how long, how much?", as far as the history of one n8n goes: what is new is looked at, then its
 * rows are asked. The feature puts it into words.
 */

import * as z from "zod";
import { readRows, type Sql } from "../../platform/sql.ts";
import { cover, type FailureDependencies, knownSinceOf } from "../digest/failure-query.ts";
import { shifted } from "../digest/run.ts";
import { coverageOf } from "../scan/coverage.ts";
import { type StopFacts, stopFacts } from "../scan/stop-facts.ts";
import { groupParts, type RowsAsked } from "./query-rows.ts";
import { type Key, type Ranking, rankGroups, type Tallies } from "./ranked-groups.ts";
import type { Measured } from "./tally.ts";

export interface ExecutionQuery extends Omit<RowsAsked, "before" | "comparesDurations">, Ranking {
  /** True when the window has no end. */
  readonly isUntilNow: boolean;
  /** Whether the window before, of the same length, is counted, too. */
  readonly isCompared: boolean;
  readonly timeBudgetMs: number;
}

export interface MeasuredGroup {
  readonly now: Measured;
  /** Null when it is not known, or not asked for. */
  readonly before: Measured | null;
}

export interface QueriedExecutions {
  readonly total: MeasuredGroup;
  /** Runs from the editor in the window, which are in no group. */
  readonly editorRuns: number;
  /** Executions of the window whose data n8n did not keep or show: what they contained counts as nothing. */
  readonly withoutData: number;
  readonly groups: readonly (MeasuredGroup & {
    readonly keys: readonly Key[];
    readonly workflowName: string | null;
  })[];
  readonly others: readonly (MeasuredGroup & { readonly moment: Key; readonly groups: number })[];
  readonly groupCount: number;
  /** Everything is known from then on, epoch ms: at best the start of the first window. */
  readonly knownSince: number | null;
  /** Start of the oldest execution that is known, epoch ms. */
  readonly oldest: number | null;
  readonly stop: StopFacts;
}

/** The share of a window at whose start nothing may have run, before it counts as one that n8n has deleted in part. */
export const SLACK = 0.1;

const iso = (time: number): string => new Date(time).toISOString();

/** @throws ObserverError an `N8N_…` code when n8n failed before anything was known; `VALIDATION_ERROR` for too many groups */
export async function queryHistory(
  query: ExecutionQuery,
  dependencies: FailureDependencies,
  sql: Sql,
): Promise<QueriedExecutions> {
  const { store, rows } = dependencies;
  const { window, isCompared } = query;
  const before = shifted(window, window.from - window.to);
  const since = isCompared ? before.from : window.from;
  const [only, ...more] = query.workflowIds ?? [];
  const covering = {
    workflowId: more.length === 0 ? (only ?? null) : null,
    startedAfter: iso(since),
    startedBefore: query.isUntilNow ? null : iso(window.to),
  };
  await dependencies.progress(0, "Looking at what is new");
  const result = await cover(covering, query, dependencies);
  if (result.stop.reason === "n8n" && store.counts.all === 0) throw result.stop.error;
  const knownSince = knownSinceOf(coverageOf(store, covering, result, result.read, result.skipped), since);
  const oldest = oldestStart(sql);
  const begins = Math.max(knownSince ?? window.to, (oldest ?? 0) - SLACK * (window.to - window.from));
  const isKnown = isCompared && begins <= before.from;
  const asked = {
    ...query,
    before: isKnown ? before : null,
    comparesDurations: query.sortBy === "medianMs" || query.sortBy === "p95Ms",
  };
  const ranked = rankGroups(groupParts(sql, asked, rows.lowestId((isKnown ? before : window).from)), query);
  const measured = (tallies: Tallies): MeasuredGroup => ({
    now: tallies.now.measured,
    before: isKnown ? tallies.before.measured : null,
  });
  const { editorRuns, withoutData, groupCount } = ranked;
  const named = query.groupBy.includes("workflow")
    ? ranked.groups.flatMap(({ newestId }) => newestId ?? [])
    : [];
  const names = new Map(
    store.executions.withIds(named).map(({ workflowId, workflowName }) => [workflowId, workflowName]),
  );
  const at = query.groupBy.indexOf("workflow");
  return {
    total: measured(ranked.total),
    ...{ editorRuns, withoutData, groupCount, knownSince, oldest },
    groups: ranked.groups.map((group) => ({
      ...measured(group),
      keys: group.keys,
      workflowName: names.get(group.keys[at] ?? "") ?? null,
    })),
    others: ranked.others.map((other) => ({
      ...measured(other),
      moment: other.moment,
      groups: other.groups,
    })),
    stop: stopFacts(result.stop),
  };
}

const startRow = z.object({ startedAt: z.string() });

function oldestStart(sql: Sql): number | null {
  const [row] = readRows(
    sql,
    startRow,
    "SELECT started_at AS startedAt FROM executions WHERE started_at IS NOT NULL ORDER BY executions.id LIMIT 1",
  );
  return row === undefined ? null : Date.parse(row.startedAt);
}
