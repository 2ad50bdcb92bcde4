/** "How many, how often, how long?": looks for new executions, then queries the rows. The feature words the answer. */
import { type AskedWindow, cover, type KnownWindow, untilNewest } from "../digest/cover-window.ts";
import { IdBounds } from "../digest/id-bounds.ts";
import { mayLackStart, shifted } from "../digest/run.ts";
import type { QueryDependencies } from "../scan/query-dependencies.ts";
import { GroupTallies, type Ranking } from "./group-tallies.ts";
import type { RowsAsked } from "./grouped-rows.ts";
import { type GroupingName, groupingOf } from "./groupings.ts";
import { examplesOf, groupsOfIds, IDS_AT_ONCE } from "./query-rows.ts";

export interface ExecutionQuery extends Omit<RowsAsked, "before">, Ranking, AskedWindow {
  /** Whether the previous window of the same length is counted, too. */
  readonly isCompared: boolean;
  readonly timeBudgetMs: number;
}

export interface QueriedExecutions extends ReturnType<GroupTallies["ranked"]>, KnownWindow {
  /** Names of the workflows in the groups, by workflow id. */
  readonly names: Readonly<Record<string, string>>;
  /** By digest of a host: an execution whose error contains the host. */
  readonly examplesOfHosts: Readonly<Record<string, string>>;
  /** Start of the oldest known execution, epoch ms. */
  readonly oldest: number | null;
}

/** @throws ObserverError `VALIDATION_ERROR` for too many groups, or an `N8N_…` code if nothing was known before n8n failed */
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
  const ids = new IdBounds(sql, store.listed.hasFormer);
  const window = untilNewest(query, dependencies);
  const oldest = ids.oldestStart();
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
  let next = ids.nextId(ids.lowestId((isKnown ? before : window).from));
  while (next !== null) {
    for (const part of groupsFrom(BigInt(next))) tallies.add(part);
    next = ids.nextId(String(BigInt(next) + IDS_AT_ONCE));
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
