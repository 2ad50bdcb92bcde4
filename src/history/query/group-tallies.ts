/**
 * Puts the parts of groups together, and ranks the groups: the first one by one, the others as one. Groups of a moment
 * are ranked by what else they are grouped by, and are in the order of time.
 *
 * Promises: the totals count each execution once, also where a workflow has several tags. Pure.
 */
import { ObserverError } from "../../platform/errors.ts";
import type { GroupPart } from "./grouped-rows.ts";
import { type GroupingName, groupingOf } from "./groupings.ts";
import { type Measure, type Measured, Tally } from "./tally.ts";

type Key = string | null;

export interface Ranking {
  readonly groupBy: readonly GroupingName[];
  readonly sortBy: Measure;
  readonly limit: number;
  /** Of groupings that are labels, by workflow id. */
  readonly labels: Readonly<Partial<Record<GroupingName, Labels>>>;
}
type Labels = Readonly<Record<string, readonly string[]>>;

/** A group in the window, and in the window before. */
class Group {
  readonly now = new Tally();
  readonly before = new Tally();
  readonly keys: readonly Key[];
  /** @see GroupPart.newestFrom */
  newestFrom = 0n;
  groups = 1;

  constructor(keys: readonly Key[]) {
    this.keys = keys;
  }

  merge({ now, before }: Group): void {
    this.now.merge(now);
    this.before.merge(before);
  }
}

export interface MeasuredGroup {
  readonly keys: readonly Key[];
  readonly newestFrom: bigint;
  readonly groups: number;
  readonly now: Measured;
  /** Null where nothing is compared: a moment has none before. */
  readonly before: Measured | null;
}

/** Each takes about a kilobyte. */
const MAX_GROUPS_HELD = 20_000;

export class GroupTallies {
  readonly #ranking: Ranking;
  readonly #total = new Group([]);
  readonly #all = new Map<string, Group>();
  /** Where the moment stands among the keys; -1 without one. */
  readonly #at: number;
  #editorRuns = 0;
  #withoutData = 0;

  constructor(ranking: Ranking) {
    this.#ranking = ranking;
    this.#at = ranking.groupBy.findIndex((name) => groupingOf(name).isMoment === true);
  }

  /** Parts come in the order of ids. @throws ObserverError `VALIDATION_ERROR` when there are too many groups */
  add(part: GroupPart): void {
    const { period } = part;
    if (period === "editor") {
      this.#editorRuns += part.count;
      return;
    }
    if (period === "now") this.#withoutData += part.withoutData;
    this.#total[period].add(part);
    for (const keys of labelled(part.keys, this.#ranking)) {
      const name = JSON.stringify(keys);
      const group = this.#all.get(name) ?? new Group(keys);
      this.#all.set(name, group);
      group[period].add(part);
      group.newestFrom = part.newestFrom;
    }
    if (this.#all.size > MAX_GROUPS_HELD) throw tooManyGroups();
  }

  /** @param isCompared whether the parts of the window before were added */
  ranked(isCompared: boolean) {
    const isEachCompared = isCompared && this.#at === -1;
    const measuredEach = (groups: readonly Group[]) =>
      this.#inTime(groups).map((group) => measured(group, isEachCompared));
    const { groupBy, sortBy, limit } = this.#ranking;
    const otherKeys = ({ keys }: Group): string =>
      JSON.stringify(this.#at === -1 ? keys : keys.toSpliced(this.#at, 1));
    const all = [...Map.groupBy(this.#all.values(), otherKeys).values()];
    const rankedFamilies = all
      .map((groups) => ({ groups, ...rankOf(groups, sortBy) }))
      .toSorted((a, b) => b.value - a.value || b.count - a.count);
    const shown = this.#at !== -1 && groupBy.length === 1 ? all.length : limit;
    const groupsOf = (from: number, to?: number) =>
      rankedFamilies
        .slice(from, to)
        .flatMap(({ groups }) => groups.filter((group) => this.#isInWindow(group)));
    return {
      total: measured(this.#total, isCompared),
      editorRuns: this.#editorRuns,
      withoutData: this.#withoutData,
      groups: measuredEach(groupsOf(0, shown)),
      /** What remains; with a moment, of each. */
      others: measuredEach(this.#summed(groupsOf(shown))),
      /** Those of the same moment together. */
      groupCount: all.length,
    };
  }

  #momentOf({ keys }: Group): Key {
    return keys[this.#at] ?? null;
  }

  /** Groups that are only of the window before have no moment. */
  #isInWindow(group: Group): boolean {
    return this.#at === -1 || this.#momentOf(group) !== null;
  }

  #inTime(groups: readonly Group[]): readonly Group[] {
    if (this.#at === -1) return groups;
    return groups.toSorted((a, b) => String(this.#momentOf(a)).localeCompare(String(this.#momentOf(b))));
  }

  #summed(groups: readonly Group[]): Group[] {
    return [...Map.groupBy(groups, (group) => this.#momentOf(group))].map(([moment, same]) => {
      const sum = new Group([moment]);
      for (const group of same) sum.merge(group);
      sum.groups = same.length;
      return sum;
    });
  }
}

const measured = ({ keys, newestFrom, groups, now, before }: Group, isCompared: boolean): MeasuredGroup => ({
  keys,
  newestFrom,
  groups,
  now: now.measured,
  before: isCompared ? before.measured : null,
});

/** A workflow with two tags is in the groups of both; one without any has none. */
function labelled(keys: readonly Key[], { groupBy, labels }: Ranking): readonly (readonly Key[])[] {
  let combined: readonly (readonly Key[])[] = [[]];
  for (const [index, name] of groupBy.entries()) {
    const key = keys[index] ?? null;
    const values = groupingOf(name).isLabel === true ? labelsOf(labels[name], key) : [key];
    combined = combined.flatMap((before) => values.map((value) => [...before, value]));
  }
  return combined;
}

function labelsOf(labels: Labels = {}, workflowId: Key): readonly Key[] {
  const own = workflowId !== null && Object.hasOwn(labels, workflowId) ? labels[workflowId] : undefined;
  return own === undefined || own.length === 0 ? [null] : own;
}

function rankOf(groups: readonly Group[], sortBy: Measure) {
  const now = new Tally();
  for (const group of groups) now.merge(group.now);
  return { value: now.value(sortBy) ?? -1, count: now.value("count") ?? 0 };
}

const tooManyGroups = (): ObserverError =>
  new ObserverError("VALIDATION_ERROR", `There are more than ${MAX_GROUPS_HELD} groups.`, {
    field: "groupBy",
    expected: `at most ${MAX_GROUPS_HELD} groups`,
    solution: "Group by one thing, or narrow the question with where, workflowId or a shorter window.",
  });
