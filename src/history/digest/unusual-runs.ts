/**
 * Executions that did not fail and yet are unusual: those that hang, that wait forever, that did next to nothing, that
 * caught more errors than usual, or that took far longer. Each is compared only with its own workflow. Pure.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from "../../platform/durations.ts";
import { durationOf, durationsOf, isIn, isNearWeekend, type Run, type Span, shifted } from "./run.ts";
import { isUnusuallyMany, MIN_USUAL, median, quantile, type Share, shareOf } from "./statistics.ts";

export interface HangingRun {
  readonly id: string;
  readonly kind: "running" | "waiting" | "overdue";
  /** Epoch ms. */
  readonly startedAt: number;
  readonly forMs: number;
  /** What 95 % of the runs stay below; null if too few ran. */
  readonly usualMs: number | null;
}

export interface UnusualRuns {
  readonly kind: "empty" | "caught" | "slow";
  readonly now: Share;
  readonly usual: Share;
  /** Median of items (`empty`) or milliseconds (`slow`); else null. */
  readonly medianNow: number | null;
  readonly medianUsual: number | null;
  readonly exampleId: string;
}

const HANGING = {
  /** Durations have long tails, but not ten times the 95th percentile. */
  timesUsual: 10,
  leastMs: 10 * MINUTE_MS,
};
const WAITING = {
  /** n8n's `WAIT_INDEFINITELY`: the year 3000. */
  forEverFrom: Date.UTC(2999, 0, 1),
  /** A person may take days for an approval. */
  leastMs: 3 * DAY_MS,
  timesUsual: 3,
  /** n8n resumes waiting executions each minute. */
  overdueMs: 15 * MINUTE_MS,
};
const EMPTY = {
  /** The share of the median below which a run is nearly empty. */
  part: 0.25,
  /** With fewer items, a quarter is a difference of one. */
  minItems: 4,
  nodesPart: 0.5,
  minNodes: 4,
  /** A daily workflow has few runs, so each one must have had at least this share of the usual items. */
  steadyRuns: 10,
  steadyPart: 0.5,
  steadyNow: 3,
};
const SLOW = { part: 0.95, timesMedian: 2, leastMs: 1_000 };

/** Assumes that n8n's clock agrees with ours. */
export function hangingRuns(runs: readonly Run[], now: number): HangingRun[] {
  const durations = durationsOf(runs);
  const usualMs = durations.length < MIN_USUAL ? null : quantile(durations, SLOW.part);
  return runs.flatMap((run) => {
    const kind = hangsAs(run, usualMs, now);
    const { id, startedAt } = run;
    return kind === null ? [] : [{ id, kind, startedAt, forMs: now - beganToRun(run), usualMs }];
  });
}

/** While a resumed execution runs, n8n keeps the end of its first part. */
const beganToRun = ({ status, startedAt, stoppedAt }: Run): number =>
  status === "running" ? (stoppedAt ?? startedAt) : startedAt;

function hangsAs(run: Run, usual: number | null, now: number): HangingRun["kind"] | null {
  const { status, stoppedAt, waitTill } = run;
  const age = now - beganToRun(run);
  if (status === "running" || status === "new" || status === "unknown") {
    const isLong = usual !== null && age > HANGING.timesUsual * usual && age > HANGING.leastMs;
    // With an unknown status, only this shows that it has ended.
    return isLong && (status === "running" || stoppedAt === null) ? "running" : null;
  }
  if (status !== "waiting" || waitTill === null) return null;
  if (waitTill >= WAITING.forEverFrom) {
    const isLong = age > WAITING.leastMs && age > WAITING.timesUsual * (usual ?? 0);
    return isLong ? "waiting" : null;
  }
  return now - waitTill > WAITING.overdueMs ? "overdue" : null;
}

/**
 * Compares successful runs of the window with those before it and, if known, with those a week before, because nights
 * and weekends resemble each other. @param usualSpan the span before the window
 */
export function unusualRuns(runs: readonly Run[], window: Span, usualSpan: Span): UnusualRuns[] {
  const good = runs.filter(({ status }) => status === "success");
  const now = good.filter(({ startedAt }) => isIn(window, startedAt));
  const before = atSameHours(
    good.filter(({ startedAt }) => isIn(usualSpan, startedAt)),
    window,
  );
  const isWeekKnown = usualSpan.from <= window.from - WEEK_MS;
  if (!isWeekKnown && !isLikeAnyDay(window, usualSpan)) return [];
  const weekBefore = isWeekKnown
    ? good.filter(({ startedAt }) => isIn(shifted(window, -WEEK_MS), startedAt))
    : null;
  const compared = { now, before, weekBefore };
  return [emptyRuns(compared), caughtErrors(compared), slowRuns(compared)].filter((found) => found !== null);
}

type Found = Pick<UnusualRuns, "now" | "usual" | "exampleId">;

interface Compared {
  readonly now: readonly Run[];
  readonly before: readonly Run[];
  readonly weekBefore: readonly Run[] | null;
}

/** Without a known week, at least one working day is needed, and no weekend may be near. */
function isLikeAnyDay(window: Span, usualSpan: Span): boolean {
  const isLong = usualSpan.to - usualSpan.from >= Math.max(DAY_MS, window.to - window.from);
  return isLong && !isNearWeekend({ from: usualSpan.from, to: window.to });
}

/** For a window shorter than a day, only the same hours of other days. */
function atSameHours(runs: readonly Run[], { from, to }: Span): readonly Run[] {
  if (to - from >= DAY_MS - HOUR_MS) return runs;
  return runs.filter(({ startedAt }) => (((startedAt - from) % DAY_MS) + DAY_MS) % DAY_MS < to - from);
}

function unusuallyMany({ now, before, weekBefore }: Compared, matches: (run: Run) => boolean): Found | null {
  const example = now.find(matches);
  const found = { now: shareOf(now, matches), usual: shareOf(before, matches) };
  if (example === undefined || !isUnusuallyMany(found.now, found.usual)) return null;
  const isUsual = weekBefore !== null && isLikeLastWeek(found.now, shareOf(weekBefore, matches));
  return isUsual ? null : { ...found, exampleId: example.id };
}

/** A week without runs is not compared; for few runs, half the share is enough. */
function isLikeLastWeek(now: Share, last: Share): boolean {
  if (last.of >= MIN_USUAL) return !isUnusuallyMany(now, last);
  return last.count * now.of * 2 >= now.count * last.of;
}

function emptyRuns(compared: Compared): UnusualRuns | null {
  const now = readRuns(compared.now);
  const before = readRuns(compared.before);
  const weekBefore = compared.weekBefore === null ? null : readRuns(compared.weekBefore);
  const usualItems = median(before.flatMap(({ items }) => items ?? [])) ?? 0;
  const usualNodes = median(before.flatMap(({ nodes }) => nodes ?? [])) ?? 0;
  const isEmpty = ({ items, nodes }: Run): boolean =>
    (usualItems >= EMPTY.minItems && (items ?? 0) <= usualItems * EMPTY.part) ||
    (usualNodes >= EMPTY.minNodes && (nodes ?? 0) <= usualNodes * EMPTY.nodesPart);
  const found =
    unusuallyMany({ now, before, weekBefore }, isEmpty) ?? emptyDailyRuns(now, before, usualItems, isEmpty);
  if (found === null) return null;
  const medianNow = median(now.filter(isEmpty).flatMap(({ items }) => items ?? []));
  return { kind: "empty", ...found, medianNow, medianUsual: usualItems };
}

/** Retries begin where another execution failed. */
const readRuns = (runs: readonly Run[]): readonly Run[] =>
  runs.filter(({ items, mode }) => items !== null && mode !== "retry");

/** For a workflow that runs about once a day and always did about the same. */
function emptyDailyRuns(
  now: readonly Run[],
  before: readonly Run[],
  usualItems: number,
  isEmpty: (run: Run) => boolean,
): Found | null {
  const isSteady =
    usualItems >= EMPTY.minItems &&
    before.length >= EMPTY.steadyRuns &&
    before.every(({ items }) => (items ?? 0) >= usualItems * EMPTY.steadyPart);
  const [example] = now;
  const isFew = now.length <= EMPTY.steadyNow;
  if (!isSteady || !isFew || !now.every(isEmpty) || example === undefined) return null;
  const all = { count: now.length, of: now.length };
  return { now: all, usual: { count: 0, of: before.length }, exampleId: example.id };
}

function caughtErrors(compared: Compared): UnusualRuns | null {
  const found = unusuallyMany(compared, ({ caught }) => (caught ?? 0) > 0);
  return found === null ? null : { kind: "caught", ...found, medianNow: null, medianUsual: null };
}

function slowRuns(compared: Compared): UnusualRuns | null {
  const usual = durationsOf(compared.before);
  const [limit, medianUsual] = [quantile(usual, SLOW.part), median(usual)];
  const medianNow = median(durationsOf(compared.now));
  if (limit === null || medianUsual === null || medianNow === null) return null;
  const isSlow = (run: Run): boolean => (durationOf(run) ?? 0) > limit;
  const isFarAbove = medianNow >= SLOW.timesMedian * medianUsual && medianNow - medianUsual >= SLOW.leastMs;
  const found = isFarAbove ? unusuallyMany(compared, isSlow) : null;
  return found === null ? null : { kind: "slow", ...found, medianNow, medianUsual };
}
