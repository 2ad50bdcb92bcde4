/**
 * Merges the parts of groups and ranks the groups: the first ones individually, the rest as one. Groups of a moment are
 * ranked by their other key and shown in chronological order.
 *
 * Promises: the totals count each execution once, even if a workflow has several tags. Pure.
 */
import { ObserverError } from "../../platform/errors.ts";
import type { GroupPart } from "./grouped-rows.ts";
import { type GroupingName, groupingOf } from "./groupings.ts";
import { type Measure, Tally } from "./tally.ts";

type Key = string | null;

export interface Ranking {
  readonly groupBy: readonly GroupingName[];
  readonly sortBy: Measure;
  readonly limit: number;
  /** The labels per workflow id, for groupings that are labels. */
  readonly labels: Readonly<Partial<Record<GroupingName, Labels>>>;
}
type Labels = Readonly<Record<string, readonly string[]>>;

/** A group in the window and in the previous window. */
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

/** Each takes about a kilobyte. */
const MAX_GROUPS_HELD = 20_000;

export class GroupTallies {
  readonly #ranking: Ranking;
  readonly #total = new Group([]);
  readonly #all = new Map<string, Group>();
  /** The position of the moment among the keys; -1 if there is none. */
  readonly #at: number;
  #editorRuns = 0;
  #withoutData = 0;

  constructor(ranking: Ranking) {
    this.#ranking = ranking;
    this.#at = ranking.groupBy.findIndex((name) => groupingOf(name).isMoment === true);
  }

  /** Parts must come in ascending order of ids. @throws ObserverError `VALIDATION_ERROR` for too many groups */
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

  /** @param isCompared whether the parts of the previous window were added */
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
    // Groups that only occur in the previous window have no moment.
    const isInWindow = (group: Group): boolean => this.#at === -1 || this.#momentOf(group) !== null;
    const groupsOf = (from: number, to?: number) =>
      rankedFamilies.slice(from, to).flatMap(({ groups }) => groups.filter(isInWindow));
    return {
      total: measured(this.#total, isCompared),
      editorRuns: this.#editorRuns,
      withoutData: this.#withoutData,
      groups: measuredEach(groupsOf(0, shown)),
      /** The remaining groups as one; with a moment, one per moment. */
      others: measuredEach(this.#summed(groupsOf(shown))),
      /** Groups that differ only in the moment count once. */
      groupCount: all.length,
    };
  }

  #momentOf({ keys }: Group): Key {
    return keys[this.#at] ?? null;
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

export type MeasuredGroup = Readonly<ReturnType<typeof measured>>;

const measured = ({ keys, newestFrom, groups, now, before }: Group, isCompared: boolean) => ({
  keys,
  newestFrom,
  groups,
  now: now.measured,
  /** Null if nothing is compared: a moment has no counterpart in the previous window. */
  before: isCompared ? before.measured : null,
});

/** A workflow with two tags belongs to both groups; one without tags has the key null. */
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
