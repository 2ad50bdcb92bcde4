/**
 * "How many, how often, how long, how much?", as far as the history of one n8n goes: what is new is looked at, then its
 * rows are asked. The feature puts it into words.
 */
import { type AskedWindow, cover, type KnownAsOf, untilNewest } from "../digest/cover-window.ts";
import { DigestRows } from "../digest/digest-rows.ts";
import { mayLackStart, shifted } from "../digest/run.ts";
import type { QueryDependencies } from "../scan/query-dependencies.ts";
import type { StopFacts } from "../scan/stop-facts.ts";
import { GroupTallies, type Ranking } from "./group-tallies.ts";
import type { RowsAsked } from "./grouped-rows.ts";
import { type GroupingName, groupingOf } from "./groupings.ts";
import { examplesOf, groupsOfIds, IDS_AT_ONCE } from "./query-rows.ts";

export interface ExecutionQuery extends Omit<RowsAsked, "before">, Ranking, AskedWindow {
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
  readonly knownAsOf: KnownAsOf;
  /** Some of those that had not ended are known only as they were before. */
  readonly isOutdated: boolean;
  /** Some are in a form that is not known. */
  readonly lacksUnknown: boolean;
  /** Start of the oldest execution that is known, epoch ms. */
  readonly oldest: number | null;
  readonly stop: StopFacts;
}

/** @throws ObserverError an `N8N_…` code when n8n failed before anything was known; `VALIDATION_ERROR` for too many groups */
export async function queryHistory(
  query: ExecutionQuery,
  dependencies: QueryDependencies,
): Promise<QueriedExecutions> {
  const { store, known, sources, thread } = dependencies;
  const { sql } = known;
  const { isCompared } = query;
  const before = shifted(query.window, query.window.from - query.window.to);
  const since = isCompared ? before.from : query.window.from;
  const [only, ...more] = query.workflowIds ?? [];
  const workflowId = more.length === 0 ? (only ?? null) : null;
  const { coverage: _coverage, asOf: _asOf, ...how } = await cover(workflowId, since, query, dependencies);
  const rows = new DigestRows(sql, store.listed.hasFormer);
  const window = untilNewest(query, dependencies);
  const oldest = rows.oldestStart();
  const { knownSince } = how;
  const isReadBack = knownSince !== null && knownSince <= before.from;
  const isKnown = isCompared && isReadBack && !mayLackStart(before, oldest);
  const asked = {
    ...query,
    window,
    where: query.where.map(({ by, values }) => {
      const { keptAs } = groupingOf(by);
      return { by, values: values.map((value) => keptAs?.(value, sources.digest) ?? value) };
    }),
    before: isKnown ? before : null,
  };
  const tallies = new GroupTallies(query);
  const groupsFrom = groupsOfIds(sql, asked);
  let next = rows.nextId(rows.lowestId((isKnown ? before : window).from));
  while (next !== null) {
    for (const part of groupsFrom(BigInt(next))) tallies.add(part);
    next = rows.nextId(String(BigInt(next) + IDS_AT_ONCE));
    if (next !== null) await thread.giveWay();
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
    ...how,
    oldest,
  };
}
