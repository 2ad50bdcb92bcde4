/**
 * Puts the parts of groups together, and ranks the groups. The first are told one by one, the others as one; groups of a
 * moment are ranked by what else they are grouped by, and are in the order of time.
 *
 * Promises: the totals count each execution once, also where a workflow has several tags. Pure.
 */
import { ObserverError } from "../../platform/errors.ts";
import { type GroupingName, groupingOf } from "./groupings.ts";
import type { GroupPart } from "./query-rows.ts";
import { type Measure, Tally } from "./tally.ts";

export type Key = string | null;

/** A group in the window, and in the window before. */
export interface Tallies {
  readonly now: Tally;
  readonly before: Tally;
}

export interface RankedGroup extends Tallies {
  readonly keys: readonly Key[];
  /** The newest execution that names its workflow. */
  newestId: string | null;
}

/** What remains beyond the first groups; with a moment, what remains of each. */
export interface OtherGroups extends Tallies {
  readonly moment: Key;
  groups: number;
}

export interface RankedGroups {
  readonly total: Tallies;
  readonly editorRuns: number;
  /** In the window. */
  readonly withoutData: number;
  readonly groups: readonly RankedGroup[];
  readonly others: readonly OtherGroups[];
  /** How many groups there are, those of the same moment together. */
  readonly groupCount: number;
}

/** By grouping, then by workflow id. */
export type WorkflowLabels = Readonly<
  Partial<Record<GroupingName, Readonly<Record<string, readonly string[]>>>>
>;

export interface Ranking {
  readonly groupBy: readonly GroupingName[];
  readonly sortBy: Measure;
  readonly limit: number;
  readonly labels: WorkflowLabels;
}

/** Each takes about a kilobyte. */
export const MAX_GROUPS_HELD = 20_000;

const newTallies = (): Tallies => ({ now: new Tally(), before: new Tally() });

/** @throws ObserverError `VALIDATION_ERROR` when there are more groups than can be held */
export function rankGroups(parts: Iterable<GroupPart>, ranking: Ranking): RankedGroups {
  const total = newTallies();
  const all = new Map<string, RankedGroup>();
  let [editorRuns, withoutData] = [0, 0];
  for (const part of parts) {
    if (part.period === "editor") {
      editorRuns += part.count;
      continue;
    }
    if (part.period === "now") withoutData += part.withoutData;
    total[part.period].add(part);
    for (const keys of labelled(part.keys, ranking)) addTo(all, keys, part);
  }
  return { total, editorRuns, withoutData, ...firstOf([...all.values()], ranking) };
}

function addTo(all: Map<string, RankedGroup>, keys: readonly Key[], part: GroupPart): void {
  if (part.period === "editor") return;
  const name = JSON.stringify(keys);
  const group = all.get(name) ?? { keys, newestId: part.newestId, ...newTallies() };
  all.set(name, group);
  if (all.size > MAX_GROUPS_HELD) throw tooManyGroups();
  group[part.period].add(part);
  // Parts of a group come in the order of ids.
  group.newestId = part.newestId ?? group.newestId;
}

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

function labelsOf(labels: WorkflowLabels[GroupingName] = {}, workflowId: Key): readonly Key[] {
  const own = workflowId !== null && Object.hasOwn(labels, workflowId) ? labels[workflowId] : undefined;
  return own === undefined || own.length === 0 ? [null] : own;
}

function firstOf(all: readonly RankedGroup[], { groupBy, sortBy, limit }: Ranking) {
  const at = groupBy.findIndex((name) => groupingOf(name).isMoment === true);
  const momentOf = ({ keys }: RankedGroup): Key => (at === -1 ? null : (keys[at] ?? null));
  const families = [
    ...Map.groupBy(all, ({ keys }) => JSON.stringify(keys.filter((_key, index) => index !== at))).values(),
  ]
    .map((groups) => ({ groups, rank: rankOf(groups, sortBy) }))
    .toSorted((a, b) => b.rank.value - a.rank.value || b.rank.count - a.rank.count);
  // Groups that are only of the window before have no moment.
  const ofWindow = (groups: readonly RankedGroup[]) =>
    groups.filter((group) => at === -1 || momentOf(group) !== null);
  const isOnlyMoment = at !== -1 && groupBy.length === 1;
  const shown = isOnlyMoment ? families.length : limit;
  const groups = families.slice(0, shown).flatMap((family) => ofWindow(family.groups));
  const others = new Map<Key, OtherGroups>();
  for (const family of families.slice(shown))
    for (const group of ofWindow(family.groups)) {
      const moment = momentOf(group);
      const other = others.get(moment) ?? { moment, groups: 0, ...newTallies() };
      others.set(moment, other);
      other.groups += 1;
      other.now.addAll(group.now);
      other.before.addAll(group.before);
    }
  const inTime = (a: Key, b: Key): number => (a ?? "").localeCompare(b ?? "");
  return {
    groups: at === -1 ? groups : groups.toSorted((a, b) => inTime(momentOf(a), momentOf(b))),
    others: [...others.values()].toSorted((a, b) => inTime(a.moment, b.moment)),
    groupCount: families.length,
  };
}

function rankOf(groups: readonly RankedGroup[], sortBy: Measure) {
  const [only] = groups;
  const now = only !== undefined && groups.length === 1 ? only.now : new Tally();
  if (groups.length > 1) for (const group of groups) now.addAll(group.now);
  return { value: now.value(sortBy) ?? -1, count: now.value("count") ?? 0 };
}

const tooManyGroups = (): ObserverError =>
  new ObserverError("VALIDATION_ERROR", `There are more than ${MAX_GROUPS_HELD} groups.`, {
    field: "groupBy",
    expected: `at most ${MAX_GROUPS_HELD} groups`,
    solution: "Group by one thing, or narrow the question with where, workflowId or a shorter window.",
  });
