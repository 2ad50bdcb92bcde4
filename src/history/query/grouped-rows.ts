/**
 * Groups the rows of a question, which arrive as one list per column. There may be a million, so times are parsed by
 * hand and no object is made per row.
 *
 * Promises: a row is counted once: in the window, in the previous one, or as an editor run. Pure.
 */
import type { SqlValue } from "../../platform/sql.ts";
import type { Span } from "../digest/run.ts";
import { type Grouping, type GroupingName, groupingOf, type TimeGrouping } from "./groupings.ts";
import { localClock } from "./local-time.ts";
import { readTimes } from "./read-times.ts";
import { COUNTED, type Measure, OF_DURATIONS, type Part, SUMS_OF_AGENTS } from "./tally.ts";

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
  /** Of the previous window, only executions, failures and this measure are sure to be summed up. */
  readonly sortBy: Measure;
}

const PERIODS = ["before", "now", "editor"] as const;
type Period = (typeof PERIODS)[number];

/** Executions of one group with neighbouring ids. */
export interface GroupPart extends Part {
  readonly keys: readonly (string | null)[];
  readonly period: Period;
  /** Its newest execution is in the batch of ids that begins here. */
  readonly newestFrom: bigint;
  readonly count: number;
  /** Executions of which n8n stored no data, or not all. */
  readonly withoutData: number;
}

/** What SQL reports about an execution, as bit flags. */
export const FLAGS = { failed: 1, unfinished: 2, editor: 4, lacking: 8 } as const;

type Row = Readonly<Record<string, SqlValue>>;
type Key = string | number | null;

const NOTHING: readonly unknown[] = [];
/** Replaces a start that was not selected, because the previous window needs no times. */
const SOME_TIME_BEFORE = Number.NEGATIVE_INFINITY;

const placeOf = (name: (typeof COUNTED)[number]): number => COUNTED.indexOf(name);
const COUNT = placeOf("count");
const FAILURES = placeOf("failures");
const ITEMS = placeOf("items");
const OF_AGENTS = SUMS_OF_AGENTS.map(placeOf);

class RowGroup implements GroupPart {
  readonly sums: number[] = COUNTED.map(() => 0);
  readonly durations: number[] = [];
  withoutData = 0;
  readonly keys: readonly (string | null)[];
  readonly period: Period;
  newestFrom = 0n;

  constructor(keys: readonly (string | null)[], period: Period) {
    this.keys = keys;
    this.period = period;
  }

  get count(): number {
    return this.sums[COUNT] ?? 0;
  }

  /** @param used in the order of `SUMS_OF_AGENTS`; null if there is nothing to add */
  sumOfAgents(used: unknown): void {
    if (!Array.isArray(used)) return;
    for (const [index, place] of OF_AGENTS.entries()) this.sum(place, Number(used[index] ?? 0));
  }

  sum(place: number, value: number): void {
    this.sums[place] = (this.sums[place] ?? 0) + value;
  }
}

type Groups = Readonly<Record<Period, Map<Key, Map<Key, RowGroup>>>>;

const noGroups = (): Groups => ({ before: new Map(), now: new Map(), editor: new Map() });

export class GroupedRows {
  readonly #asked: RowsAsked;
  readonly #groupings: readonly Grouping[];
  readonly #filters: readonly { readonly time: TimeGrouping; readonly values: ReadonlySet<string> }[];
  readonly #local: (time: number) => number;
  readonly #isBeforeMeasured: boolean;
  #groups = noGroups();

  constructor(asked: RowsAsked) {
    const { groupBy, where, window, before, timeZone } = asked;
    this.#asked = asked;
    this.#groupings = groupBy.map(groupingOf);
    this.#filters = where.flatMap(({ by, values }) => {
      const { time } = groupingOf(by);
      return time === undefined ? [] : { time, values: new Set(values) };
    });
    this.#isBeforeMeasured = OF_DURATIONS.includes(asked.sortBy);
    const isTimed = this.#filters.length > 0 || this.#groupings.some(({ time }) => time !== undefined);
    const span = { from: (before ?? window).from, to: window.to };
    this.#local = isTimed ? localClock(timeZone, span) : (time) => time;
  }

  /** Call in ascending order of ids. @param lowest the lowest possible id of the row */
  add(row: Row, lowest: bigint): void {
    const [flags, items, ofAgents] = [listOf(row.flags), listOf(row.items), listOf(row.ofAgents)];
    const [first = NOTHING, second = NOTHING] = this.#groupings.map((_one, index) =>
      listOf(row[`key${index}`]),
    );
    const starts = readTimes(row.startedAt, flags.length);
    const ends = readTimes(row.stoppedAt, flags.length);
    for (let index = 0; index < flags.length; index += 1) {
      const time = starts[index] ?? SOME_TIME_BEFORE;
      const end = ends[index] ?? Number.NaN;
      const flag = Number(flags[index]);
      const period = this.#periodOf(time, flag);
      if (period === null) continue;
      const local = this.#local(time);
      if (this.#filters.some(({ time: { of, name }, values }) => !values.has(name(of(local))))) continue;
      const group = this.#groupOf(
        this.#keyOf(0, first[index], local, period),
        this.#keyOf(1, second[index], local, period),
        period,
      );
      group.sum(COUNT, 1);
      if ((flag & FLAGS.failed) !== 0) group.sum(FAILURES, 1);
      if ((flag & FLAGS.lacking) !== 0) group.withoutData += 1;
      group.sum(ITEMS, Number(items[index] ?? 0));
      group.sumOfAgents(ofAgents[index]);
      group.newestFrom = lowest;
      const hasEnded = (flag & FLAGS.unfinished) === 0 && !Number.isNaN(end);
      const isMeasured = period === "now" || (period === "before" && this.#isBeforeMeasured);
      if (hasEnded && isMeasured) group.durations.push(Math.max(0, end - time));
    }
  }

  /** The groups added since the last call. */
  takeGroups(): readonly GroupPart[] {
    const all = PERIODS.flatMap((period) =>
      [...this.#groups[period].values()].flatMap((others) => [...others.values()]),
    );
    this.#groups = noGroups();
    return all;
  }

  /** Null for rows that do not count: outside of both windows, or editor runs of the previous one. */
  #periodOf(time: number, flag: number): Period | null {
    const { window, before } = this.#asked;
    const isNow = time >= window.from;
    const isWithin = isNow
      ? time < window.to
      : time === SOME_TIME_BEFORE || (before !== null && time >= before.from);
    if (!isWithin) return null;
    if ((flag & FLAGS.editor) === 0) return isNow ? "now" : "before";
    return isNow ? "editor" : null;
  }

  #keyOf(index: number, value: unknown, local: number, period: Period): Key {
    const grouping = this.#groupings[index];
    if (grouping?.time === undefined)
      return typeof value === "string" || typeof value === "number" ? value : null;
    return grouping.isMoment === true && period === "before" ? null : grouping.time.of(local);
  }

  #groupOf(first: Key, second: Key, period: Period): RowGroup {
    const known = this.#groups[period].get(first)?.get(second);
    if (known !== undefined) return known;
    const group = new RowGroup(this.#namesOf([first, second]), period);
    const others = this.#groups[period].get(first) ?? new Map<Key, RowGroup>();
    this.#groups[period].set(first, others.set(second, group));
    return group;
  }

  #namesOf(keys: readonly Key[]): (string | null)[] {
    return this.#groupings.map(({ time }, index) => {
      const key = keys[index] ?? null;
      return key === null
        ? null
        : typeof key === "number" && time !== undefined
          ? time.name(key)
          : String(key);
    });
  }
}

/** Parses a list made by SQLite. */
function listOf(json: SqlValue | undefined): readonly unknown[] {
  if (json === undefined) return NOTHING;
  const list: unknown = JSON.parse(String(json));
  return Array.isArray(list) ? list : NOTHING;
}
