/**
 * "How many, how often, how long, how much?", as far as the history of one n8n goes: what is new is looked at, then its
 * rows are asked. The feature puts it into words.
 */

import { DigestRows } from "../digest/digest-rows.ts";
import { cover, type FailureDependencies, knownSinceOf } from "../digest/failure-query.ts";
import { SLACK, shifted } from "../digest/run.ts";
import { coverageOf } from "../scan/coverage.ts";
import { type StopFacts, stopFacts } from "../scan/stop-facts.ts";
import { GroupTallies, type Ranking } from "./group-tallies.ts";
import type { RowsAsked } from "./grouped-rows.ts";
import { type GroupingName, groupingOf } from "./groupings.ts";
import { examplesOf, groupsOfIds, IDS_AT_ONCE } from "./query-rows.ts";

export interface ExecutionQuery extends Omit<RowsAsked, "before">, Ranking {
  /** True when the window has no end. */
  readonly isUntilNow: boolean;
  /** Whether the window before, of the same length, is counted, too. */
  readonly isCompared: boolean;
  readonly timeBudgetMs: number;
}

export interface QueriedExecutions extends ReturnType<GroupTallies["ranked"]> {
  /** By workflow id, of the groups of workflows. */
  readonly names: Readonly<Record<string, string>>;
  /** By digest of a host: an execution whose error says it. */
  readonly examplesOfHosts: Readonly<Record<string, string>>;
  /** Everything is known from then on, epoch ms: at best the start of the first window. */
  readonly knownSince: number | null;
  /** Start of the oldest execution that is known, epoch ms. */
  readonly oldest: number | null;
  readonly stop: StopFacts;
}

const iso = (time: number): string => new Date(time).toISOString();

/** @throws ObserverError an `N8N_…` code when n8n failed before anything was known; `VALIDATION_ERROR` for too many groups */
export async function queryHistory(
  query: ExecutionQuery,
  dependencies: Omit<FailureDependencies, "published">,
): Promise<QueriedExecutions> {
  const { known, sources } = dependencies;
  const { sql } = known;
  const rows = new DigestRows(sql);
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
  if (result.stop.reason === "n8n" && known.counts.all === 0) throw result.stop.error;
  const knownSince = knownSinceOf(
    coverageOf(known, covering, result, known.isWhole ? result.read : 0, result.skipped),
    since,
  );
  const oldest = rows.oldestStart();
  const begins = Math.max(knownSince ?? window.to, (oldest ?? 0) - SLACK * (window.to - window.from));
  const isKnown = isCompared && begins <= before.from;
  const asked = {
    ...query,
    where: query.where.map(({ by, values }) => {
      const { keptAs } = groupingOf(by);
      return { by, values: values.map((value) => keptAs?.(value, sources.digest) ?? value) };
    }),
    before: isKnown ? before : null,
  };
  const tallies = new GroupTallies(query);
  const groupsFrom = groupsOfIds(sql, asked);
  let next = rows.nextId(rows.lowestId((isKnown ? before : window).from));
  for (; next !== null; next = rows.nextId(String(BigInt(next) + IDS_AT_ONCE))) {
    for (const part of groupsFrom(BigInt(next))) tallies.add(part);
    // Others get their turn.
    await sources.clock.sleep(0);
  }
  const ranked = tallies.ranked(isKnown);
  const examples = (by: GroupingName) => examplesOf(sql, by, ranked.groups, query.groupBy.indexOf(by));
  const names = known.executions
    .withIds([...examples("workflow").values()])
    .map(({ workflowId, workflowName }) => [workflowId, workflowName ?? ""]);
  return {
    ...ranked,
    names: Object.fromEntries(names),
    examplesOfHosts: Object.fromEntries(examples("host")),
    ...{ knownSince, oldest },
    stop: stopFacts(result.stop),
  };
}
