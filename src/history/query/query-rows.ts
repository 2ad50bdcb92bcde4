/**
 * One SQL statement per question, executed for a fixed number of ids at a time. Groups are made here, because grouping
 * in SQLite sorts, which takes as long as everything else. Callers' values are only ever bound; column names are ours.
 *
 * Promises: no execution is counted twice; runs from the editor are counted separately unless the mode is asked for;
 * memory grows with the number of groups and by eight bytes per execution.
 */
import * as z from "zod";
import { type Queryable, readRows, type SqlBinding } from "../../platform/sql.ts";
import { FAILED, LACKS_DATA, triedOut } from "../digest/row-conditions.ts";
import { iso, type Span } from "../digest/run.ts";
import { columnOf, firstStart, UNFINISHED } from "../store/tables.ts";
import { FLAGS, GroupedRows, type GroupPart, type RowsAsked } from "./grouped-rows.ts";
import { type GroupingName, groupingOf } from "./groupings.ts";
import { type Measure, OF_DURATIONS, SUMS_OF_AGENTS } from "./tally.ts";

/** After this many ids, other tasks get a turn. */
export const IDS_AT_ONCE = 65_536n;
/** A list of this many longest names, those of nodes, is below 2 MB, a Durable Object's limit for a value. */
const IDS_OF_STATEMENT = 1_024n;

/** Most succeeded, so that case comes first. */
const STATE = `CASE WHEN e.status = 'success' THEN 0 WHEN ${FAILED} THEN ${FLAGS.failed}
  WHEN e.status IN ${UNFINISHED} THEN ${FLAGS.unfinished} ELSE 0 END`;
const LACKING = `CASE WHEN ${LACKS_DATA} THEN ${FLAGS.lacking} ELSE 0 END`;
const IN_EDITOR = `CASE WHEN ${triedOut("e")} THEN ${FLAGS.editor} ELSE 0 END`;

const OF_IDS = ">= CAST(?1 AS INTEGER)";
const TO_IDS = "< CAST(?2 AS INTEGER)";
const EXECUTIONS = `executions e WHERE e.id ${OF_IDS} AND e.id ${TO_IDS}`;
const OF_EACH_MODEL = `models u CROSS JOIN executions e ON e.id = u.execution_id
  WHERE u.execution_id ${OF_IDS} AND u.execution_id ${TO_IDS}`;

const OF_AGENTS = SUMS_OF_AGENTS.map(columnOf);
/** Few executions have an agent; a model has no tools. */
const OF_EXECUTION = `CASE WHEN e.llm_calls + e.tool_calls > 0 THEN json_array(e.${OF_AGENTS.join(", e.")}) END`;
const OF_MODEL = `json_array(${OF_AGENTS.map((name) => (name === "tool_calls" ? "0" : `u.${name}`)).join(", ")})`;

/** @returns the groups of the `IDS_AT_ONCE` ids from the given one; each call must pass a higher id */
export function groupsOfIds(sql: Queryable, asked: RowsAsked): (from: bigint) => Iterable<GroupPart> {
  const whole = statementOf(asked, null);
  const lean = asked.before === null ? null : statementOf(asked, asked.before);
  const grouped = new GroupedRows(asked);
  let isBefore = lean !== null;
  return (from) => {
    for (let low = from; low < from + IDS_AT_ONCE; low += IDS_OF_STATEMENT) {
      const ids = [String(low), String(low + IDS_OF_STATEMENT)];
      const ask = ({ query, bindings }: typeof whole) => [...sql.exec(query, ...ids, ...bindings)];
      let rows = isBefore && lean !== null ? ask(lean) : [];
      // Ids ascend nearly like starts, so hardly any row of the previous window comes later.
      if (isBefore) isBefore = rows.every(({ later }) => later !== 1);
      if (!isBefore) rows = ask(whole);
      for (const row of rows) grouped.add(row, low);
    }
    return grouped.takeGroups();
  };
}

const exampleRow = z.object({ id: z.string() });

/** For each key, the newest execution that names its workflow, preferably one that n8n still has. */
export function examplesOf(
  sql: Queryable,
  by: GroupingName,
  groups: readonly Pick<GroupPart, "keys" | "newestFrom">[],
  at: number,
): ReadonlyMap<string, string> {
  const inOrder = groups.toSorted((a, b) => Number(a.newestFrom - b.newestFrom));
  const newest = new Map(inOrder.map(({ keys, newestFrom }) => [keys[at] ?? "", newestFrom]));
  const query = `SELECT CAST(e.id AS TEXT) AS id FROM ${EXECUTIONS} AND ${groupingOf(by).column} = ?3
    AND e.workflow_name IS NOT NULL ORDER BY e.is_deleted, e.id DESC LIMIT 1`;
  return new Map(
    [...newest].flatMap(([key, from]) =>
      readRows(sql, exampleRow, query, String(from - IDS_AT_ONCE), String(from + IDS_OF_STATEMENT), key).map(
        ({ id }) => [key, id] as const,
      ),
    ),
  );
}

const isOneOf = (value: string, values: readonly string[], bind: (list: string) => string): string =>
  `${value} IN (SELECT value FROM json_each(${bind(JSON.stringify(values))}))`;

/**
 * The first two bindings are ids. Returns one row, with one JSON list per column.
 *
 * @param before the previous window: then only compared columns are read, and whether there are rows of a later window
 */
function statementOf(asked: RowsAsked, before: Span | null) {
  const bindings: SqlBinding[] = [];
  const bind = (value: SqlBinding): string => `?${bindings.push(value) + 2}`;
  const { groupBy, where, window, sortBy } = asked;
  const ifCompared = (measures: readonly Measure[], column: string): string | undefined =>
    before === null || measures.includes(sortBy) ? column : undefined;
  const names = [...groupBy, ...where.map(({ by }) => by)];
  const ofModel = names.some((name) => groupingOf(name).isOfModel === true);
  const times = {
    startedAt: names.some(hasTimeInBothWindows) ? firstStart("e") : ifCompared(OF_DURATIONS, firstStart("e")),
    stoppedAt: ifCompared(OF_DURATIONS, "e.stopped_at"),
  };
  // If times are read, they show what is outside.
  const isBounded = before !== null && times.startedAt === undefined;
  const conditions = [
    ...(isBounded ? [`e.started_at >= ${bind(iso(before.from))}`] : []),
    ...(asked.workflowIds === null ? [] : [isOneOf("e.workflow_id", asked.workflowIds, bind)]),
    ...where.flatMap(({ by, values }) => {
      const { column } = groupingOf(by);
      return column === undefined ? [] : isOneOf(`CAST(${column} AS TEXT)`, values, bind);
    }),
  ];
  const flags = [
    STATE,
    ...(before === null ? [LACKING] : []),
    ...(names.includes("mode") ? [] : [IN_EDITOR]),
  ];
  const others = {
    flags: flags.join(" + "),
    ...Object.fromEntries(groupBy.map((name, index) => [`key${index}`, groupingOf(name).column])),
    items: ofModel ? undefined : ifCompared(["items"], "e.items"),
    ofAgents: ifCompared(SUMS_OF_AGENTS, ofModel ? OF_MODEL : OF_EXECUTION),
  };
  const lists = Object.entries({ ...times, ...others }).flatMap(([name, column]) => {
    const type = Object.hasOwn(times, name) ? "BLOB" : "TEXT";
    return column === undefined ? [] : `CAST(json_group_array(${column}) AS ${type}) AS ${name}`;
  });
  const later = before === null ? [] : [`MAX(e.started_at >= ${bind(iso(window.from))}) AS later`];
  const from = [ofModel ? OF_EACH_MODEL : EXECUTIONS, ...conditions].join(" AND ");
  return { bindings, query: `SELECT ${[...later, ...lists].join(", ")} FROM ${from}` };
}

/** Whether the time of an execution determines its group in both windows. */
function hasTimeInBothWindows(name: GroupingName): boolean {
  const { time, isMoment } = groupingOf(name);
  return time !== undefined && isMoment !== true;
}
