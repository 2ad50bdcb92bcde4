/**
 * Groups the rows that a question is about, which come as a list of each column. Reading a million, so times are parsed
 * by hand and a row makes no object.
 *
 * Promises: a row is counted once, in the window, in the one before, or as the editor's. Pure.
 */
import type { SqlValue } from "../../platform/sql.ts";
import type { Span } from "../digest/run.ts";
import { type Grouping, type GroupingName, groupingOf, type TimeGrouping } from "./groupings.ts";
import { localClock } from "./local-time.ts";
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
  /** Of the window before, it is added up besides executions and failures; the others may be. */
  readonly sortBy: Measure;
}

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

/** What SQL tells of an execution in one number. */
export const FLAGS = { failed: 1, unfinished: 2, editor: 4, lacking: 8 } as const;

type Row = Readonly<Record<string, SqlValue>>;
type Key = string | number | null;

const NOTHING: readonly unknown[] = [];
const ISO_LENGTH = "2026-01-01T00:00:00.000Z".length;
const MINUTE_LENGTH = "2026-01-01T00:00".length;
const CODE_OF_ZERO = "0".charCodeAt(0);

interface TimeFilter {
  readonly time: TimeGrouping;
  readonly values: ReadonlySet<string>;
}

const placeOf = (name: (typeof COUNTED)[number]): number => COUNTED.indexOf(name);
const COUNT = placeOf("count");
const FAILURES = placeOf("failures");
const ITEMS = placeOf("items");
const OF_AGENTS = SUMS_OF_AGENTS.map(placeOf);

/** Whether the time of an execution decides where it counts, besides the window. */
export const goesByTime = ({ groupBy, where }: RowsAsked): boolean =>
  [...groupBy, ...where.map(({ by }) => by)].some((name) => groupingOf(name).time !== undefined);

/** Counts up. */
class RowGroup implements GroupPart {
  readonly sums: number[] = COUNTED.map(() => 0);
  readonly durations: number[] = [];
  withoutData = 0;
  readonly keys: readonly (string | null)[];
  readonly period: Period;
  #lowest = 0n;
  #newestAbove: number | null = null;

  constructor(keys: readonly (string | null)[], period: Period) {
    this.keys = keys;
    this.period = period;
  }

  get count(): number {
    return this.sums[COUNT] ?? 0;
  }

  get newestId(): string | null {
    return this.#newestAbove === null ? null : String(this.#lowest + BigInt(this.#newestAbove));
  }

  /** Newer ones come later. @param above how far its id is above the lowest; nothing for one without a name */
  named(lowest: bigint, above: unknown): void {
    if (typeof above !== "number") return;
    this.#lowest = lowest;
    this.#newestAbove = above;
  }

  /** @param used by place of `SUMS_OF_AGENTS`; null when there is nothing to add */
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
  readonly #filters: readonly TimeFilter[];
  readonly #isTimed: boolean;
  readonly #local: (time: number) => number;
  readonly #starts = new TimeReader();
  readonly #ends = new TimeReader();
  #groups = noGroups();

  constructor(asked: RowsAsked) {
    const { groupBy, where, window, before, timeZone } = asked;
    this.#asked = asked;
    this.#groupings = groupBy.map(groupingOf);
    this.#filters = where.flatMap(({ by, values }) => {
      const { time } = groupingOf(by);
      return time === undefined ? [] : { time, values: new Set(values) };
    });
    this.#isTimed = goesByTime(asked);
    this.#local = localClock(timeZone, { from: (before ?? window).from, to: window.to });
  }

  /** Rows with higher ids come later. @param lowest the id from which `above` counts */
  add(row: Row, lowest: bigint): void {
    const [started, stopped, flags] = [listOf(row.startedAt), listOf(row.stoppedAt), listOf(row.flags)];
    const [items, ofAgents, above] = [listOf(row.items), listOf(row.ofAgents), listOf(row.above)];
    const [first = NOTHING, second = NOTHING] = this.#groupings.map((_one, index) =>
      listOf(row[`key${index}`]),
    );
    for (let index = 0; index < flags.length; index += 1) {
      const startedAt = started[index];
      // Of rows of the window before, a start is not always asked for.
      const time = typeof startedAt === "string" ? this.#starts.read(startedAt) : Number.NEGATIVE_INFINITY;
      const flag = Number(flags[index]);
      const period = this.#periodOf(time, flag);
      const local = this.#isTimed ? this.#local(time) : time;
      if (
        period === null ||
        this.#filters.some(({ time: { of, name }, values }) => !values.has(name(of(local))))
      )
        continue;
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
      group.named(lowest, above[index]);
      const stoppedAt = stopped[index];
      if (typeof stoppedAt === "string" && (flag & FLAGS.unfinished) === 0 && this.#isMeasured(period))
        group.durations.push(Math.max(0, this.#ends.read(stoppedAt) - time));
    }
  }

  /** What was added since the last time. */
  taken(): readonly GroupPart[] {
    const all = PERIODS.flatMap((period) =>
      [...this.#groups[period].values()].flatMap((others) => [...others.values()]),
    );
    this.#groups = noGroups();
    return all;
  }

  /** Null for what does not count: the editor's of the window before. */
  #periodOf(time: number, flag: number): Period | null {
    const isNow = time >= this.#asked.window.from;
    if ((flag & FLAGS.editor) === 0) return isNow ? "now" : "before";
    return isNow ? "editor" : null;
  }

  #isMeasured(period: Period): boolean {
    return period === "now" || (period === "before" && OF_DURATIONS.includes(this.#asked.sortBy));
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

/** As `Date.parse`, in a tenth of its time for one that n8n wrote (`2026-01-01T00:00:00.000Z`) and the minute of the last. */
class TimeReader {
  #minute = "";
  #begins = 0;

  read(text: string): number {
    if (text.length !== ISO_LENGTH || !text.endsWith("Z")) return Date.parse(text);
    if (this.#minute === "" || !text.startsWith(this.#minute)) {
      this.#minute = text.slice(0, MINUTE_LENGTH);
      this.#begins = Date.parse(`${this.#minute}Z`);
    }
    const seconds = digit(text, 17) * 10 + digit(text, 18);
    return this.#begins + seconds * 1_000 + digit(text, 20) * 100 + digit(text, 21) * 10 + digit(text, 22);
  }
}

const digit = (text: string, at: number): number => text.charCodeAt(at) - CODE_OF_ZERO;

/** Of a list that SQLite made. */
function listOf(json: SqlValue | undefined): readonly unknown[] {
  if (json === undefined) return NOTHING;
  const list: unknown = JSON.parse(String(json));
  return Array.isArray(list) ? list : NOTHING;
}
