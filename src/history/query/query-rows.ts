/**
 * One statement of SQL for one question, and one for what models were asked. What a caller says is only ever bound;
 * names of columns come from our tables.
 *
 * Promises: no execution is counted twice; the editor's runs are counted apart unless the mode is asked for; what is
 * held grows with the groups and with eight bytes an execution.
 */

import type { Sql, SqlBinding, SqlValue } from "../../platform/sql.ts";
import { FAILED } from "../digest/digest-rows.ts";
import type { Span } from "../digest/run.ts";
import { type GroupingName, groupingOf } from "./groupings.ts";
import { clockSteps } from "./local-time.ts";
import { COUNTED, isOfModels, type Part, SUM_NAMES, sumColumn } from "./tally.ts";

export interface ExecutionFilter {
  readonly by: GroupingName;
  readonly values: readonly string[];
}

export interface RowsAsked {
  readonly groupBy: readonly GroupingName[];
  readonly where: readonly ExecutionFilter[];
  /** Null for all. */
  readonly workflowIds: readonly string[] | null;
  readonly window: Span;
  /** Null when nothing is compared. */
  readonly before: Span | null;
  readonly timeZone: string;
  /** Whether the durations of the window before are wanted, too. */
  readonly comparesDurations: boolean;
}

/** Their numbers in SQL are their places. */
const PERIODS = ["before", "now", "editor"] as const;
type Period = (typeof PERIODS)[number];

/** Executions of one group that have neighbouring ids. */
export interface GroupPart extends Part {
  readonly keys: readonly (string | null)[];
  readonly period: Period;
  /** The newest that names its workflow; null when none does. */
  readonly newestId: string | null;
  readonly count: number;
  /** Executions of which n8n kept no data, or not all. */
  readonly withoutData: number;
}

const EDITOR = "e.mode IN ('manual', 'evaluation')";
const UNFINISHED = "('running', 'waiting', 'new', 'unknown')";
const HAS_ENDED = `e.status NOT IN ${UNFINISHED}`;
const DURATION =
  "MAX(0, CAST(ROUND((julianday(e.stopped_at) - julianday(e.started_at)) * 86400000) AS INTEGER))";
/** Most succeeded, which is looked at first. */
const HAS_FAILED = `e.status <> 'success' AND ${FAILED}`;
/**
 * Ids that one run of the statement looks at: SQLite sorts so many in little memory, and 65,536 durations are at most 800
 * kB, where a Durable Object refuses a value of more than 2 MB.
 */
export const IDS_AT_ONCE = 65_536n;

const iso = (time: number): string => new Date(time).toISOString();

/** @returns the groups of `IDS_AT_ONCE` ids from the given one on */
export function groupsOfIds(sql: Sql, asked: RowsAsked): (from: bigint) => Iterable<GroupPart> {
  const { groupBy, where } = asked;
  const isByModel = [...groupBy, ...where.map(({ by }) => by)].some(
    (name) => groupingOf(name).isOfModel === true,
  );
  const kinds: readonly Counted[] = isByModel ? ["models"] : ["executions", "tokens"];
  const statements = kinds.map((kind) => statementOf(asked, kind));
  return function* (from) {
    const ids = [String(from), String(from + IDS_AT_ONCE)];
    for (const { query, bindings } of statements)
      for (const row of sql.exec(query, ...ids, ...bindings)) yield toPart(row, groupBy);
  };
}

/**
 * What a statement counts: each execution for each of its models; or each once, and then again what the few that asked a
 * model asked of it: SQLite sorts the rows of groups, and their width is most of what that takes.
 */
type Counted = "models" | "executions" | "tokens";

const OF_IDS = ">= CAST(?1 AS INTEGER)";
const TO_IDS = "< CAST(?2 AS INTEGER)";
const FROM: Readonly<Record<Counted, string>> = {
  models: `executions e JOIN models u ON u.execution_id = e.id WHERE e.id ${OF_IDS} AND e.id ${TO_IDS}`,
  executions: `executions e WHERE e.id ${OF_IDS} AND e.id ${TO_IDS}`,
  tokens: `(SELECT DISTINCT execution_id FROM models WHERE execution_id ${OF_IDS} AND execution_id ${TO_IDS}) u
    CROSS JOIN executions e ON e.id = u.execution_id WHERE TRUE`,
};

/** Its first two bindings are ids. */
function statementOf(asked: RowsAsked, counted: Counted) {
  const bindings: SqlBinding[] = [];
  const bind = (value: SqlBinding): string => `?${bindings.push(value) + 2}`;
  const { groupBy, where, window, before } = asked;
  const isNow = `e.started_at >= ${bind(iso(window.from))}`;
  const local = (): string => localSeconds(asked, bind);
  const asksMode = groupBy.includes("mode") || where.some(({ by }) => by === "mode");
  const period = asksMode ? isNow : `CASE WHEN ${EDITOR} THEN 2 ELSE ${isNow} END`;
  const isTimed = asked.comparesDurations ? HAS_ENDED : `${isNow} AND ${HAS_ENDED}`;
  const keys = groupBy.map((name, index) => {
    const { sql, isMoment } = groupingOf(name);
    const value = sql(local);
    return `${isMoment === true ? `CASE WHEN ${isNow} THEN ${value} END` : value} AS key${index}`;
  });
  const conditions = [
    `e.started_at >= ${bind(iso((before ?? window).from))}`,
    `e.started_at < ${bind(iso(window.to))}`,
    ...(asksMode ? [] : [`(${isNow} OR NOT ${EDITOR})`]),
    ...(asked.workflowIds === null ? [] : [isOneOf("e.workflow_id", asked.workflowIds, bind)]),
    ...where.map(({ by, values }) => isOneOf(`CAST(${groupingOf(by).sql(local)} AS TEXT)`, values, bind)),
  ];
  // An execution of each group says the name of its workflow, or of its host.
  const isNamed = groupBy.some((name) => name === "workflow" || groupingOf(name).keptAs !== undefined);
  const sums = SUM_NAMES.filter(
    (name) => counted === "models" || isOfModels(name) === (counted === "tokens"),
  );
  const columns = [
    ...keys,
    `${period} AS period`,
    ...sums.map((name) => `${sumColumn(name, counted === "models")} AS ${name}`),
  ];
  const totals = sums.map((name) => `TOTAL(${name}) AS ${name}`);
  if (counted !== "tokens") {
    columns.push(
      `${HAS_FAILED} AS failed`,
      "e.is_read = 0 OR e.incomplete IS NOT NULL AS lacking",
      `CASE WHEN ${isTimed} THEN ${DURATION} END AS duration`,
      ...(isNamed ? ["CASE WHEN e.workflow_name IS NOT NULL THEN e.id END AS id"] : []),
    );
    totals.push(
      "COUNT(*) AS count, SUM(failed) AS failures, SUM(lacking) AS withoutData",
      "json_group_array(duration) AS durations",
      ...(isNamed ? ["CAST(MAX(id) AS TEXT) AS newestId"] : []),
    );
  }
  const groups = [...groupBy.map((_name, index) => `key${index}`), "period"].join(", ");
  return {
    bindings,
    // The limit keeps SQLite from merging both, and from sorting whole rows instead of these few bytes of each.
    query: `SELECT ${groups}, ${totals.join(", ")}
      FROM (SELECT ${columns.join(", ")} FROM ${FROM[counted]} AND ${conditions.join(" AND ")} LIMIT -1)
      GROUP BY ${groups}`,
  };
}

const isOneOf = (value: string, values: readonly string[], bind: (list: string) => string): string =>
  `${value} IN (SELECT value FROM json_each(${bind(JSON.stringify(values))}))`;

function localSeconds({ timeZone, window, before }: RowsAsked, bind: (value: SqlBinding) => string): string {
  const [first, ...others] = clockSteps(timeZone, { from: (before ?? window).from, to: window.to });
  if (first === undefined) return "unixepoch(e.started_at)";
  // A number is bound as a floating one.
  const whole = (seconds: number): string => `CAST(${bind(seconds)} AS INTEGER)`;
  const ahead = others
    .toReversed()
    .map(({ from, seconds }) => `WHEN e.started_at >= ${bind(iso(from))} THEN ${whole(seconds)}`);
  const start = whole(first.seconds);
  return `unixepoch(e.started_at) + ${ahead.length === 0 ? start : `CASE ${ahead.join(" ")} ELSE ${start} END`}`;
}

const textOf = (value: SqlValue | undefined): string | null => (value == null ? null : String(value));

/** Parsed by hand, as there may be hundreds of thousands. */
function toPart(row: Readonly<Record<string, SqlValue>>, groupBy: readonly GroupingName[]): GroupPart {
  const of = (name: string): number => Number(row[name] ?? 0);
  const durations: unknown = JSON.parse(String(row.durations ?? "[]"));
  return {
    keys: groupBy.map((_name, index) => textOf(row[`key${index}`])),
    period: PERIODS[of("period")] ?? "now",
    newestId: textOf(row.newestId),
    ...{ count: of("count"), withoutData: of("withoutData") },
    sums: COUNTED.map(of),
    durations: Array.isArray(durations) ? durations : [],
  };
}
