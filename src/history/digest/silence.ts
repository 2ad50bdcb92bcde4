/**
 * Workflows that began by themselves, or were called, at a rate that is known, and do so no longer. A schedule is told
 * by its gaps. Promises silence where too little is known: of pauses at night and at weekends nothing is told before
 * one has been seen. Pure.
 */
import { DAY_MS, HOUR_MS, type Run, type Span, WEEK_MS, type WorkflowRuns } from "./run.ts";
import { median } from "./statistics.ts";

export interface SilentWorkflow {
  readonly workflowId: string;
  readonly kind: "schedule" | "webhook";
  /** The last that began, and when (epoch ms). */
  readonly lastId: string;
  readonly lastAt: number;
  /** Median gap between two, in milliseconds. */
  readonly usualGapMs: number;
  /** How many began in the same span a week (or a day) earlier. */
  readonly expectedRuns: number;
}

/** Begun by a clock, a poll or a call from outside; people and other workflows stop when they like. */
const ARRIVING: ReadonlySet<string> = new Set(["trigger", "webhook"]);

const SCHEDULE = {
  /** A week of a daily one. */
  minGaps: 6,
  /** A clock is exact; a queue delays. */
  tolerance: 0.1,
  /** Others are pauses at night or at weekends; below it, it is no clock. */
  regularPart: 0.7,
  /** That many intervals; a long one is missed at once. */
  missed: 3,
  longGapMs: 6 * HOUR_MS,
  missedOfLong: 1.25,
};

const WEBHOOK = {
  /** Strangers call when they like: a median of fewer gaps says nothing of the longest. */
  minGaps: 50,
  /** As many calls, if they came as before, do not fail to come by chance. */
  expected: 20,
  /** Longer than ever, and by so much. */
  timesLongest: 2,
};

/** What starts exactly as long ago as last week is last week's last one. */
const SLACK_MS = 30 * 60_000;
/** People's weekend, wherever on earth they are. */
const ZONES_MS = 14 * HOUR_MS;

export interface SilenceQuestion {
  /** Until when it is known what ran, epoch ms. */
  readonly asOf: number;
  /** Since when, epoch ms. */
  readonly knownSince: number;
}

/** Null when nothing is wrong, or too little is known. */
export function silenceOf(
  { workflowId, runs }: WorkflowRuns,
  { asOf, knownSince }: SilenceQuestion,
): SilentWorkflow | null {
  // Where only failures are kept, none is good news.
  if (!runs.some(({ status }) => status === "success")) return null;
  const arrivals = runs
    .filter(({ mode, startedAt }) => ARRIVING.has(mode) && startedAt < asOf)
    .toSorted((a, b) => a.startedAt - b.startedAt);
  const last = arrivals.at(-1);
  if (last === undefined || arrivals.length <= SCHEDULE.minGaps) return null;
  const gaps = gapsOf(arrivals);
  const usualGapMs = median(gaps) ?? 0;
  const isSchedule = last.mode === "trigger" && isRegular(gaps, usualGapMs);
  const expectedRuns = expectedIn({ from: last.startedAt, to: asOf }, arrivals, { knownSince, usualGapMs });
  if (expectedRuns === null) return null;
  const age = asOf - last.startedAt;
  const isSilent = isSchedule
    ? isScheduleSilent(age, usualGapMs, expectedRuns)
    : isWebhookSilent(age, gaps, expectedRuns);
  if (!isSilent) return null;
  const kind = isSchedule || last.mode === "trigger" ? "schedule" : "webhook";
  return { workflowId, kind, lastId: last.id, lastAt: last.startedAt, usualGapMs, expectedRuns };
}

const gapsOf = (arrivals: readonly Run[]): number[] =>
  arrivals.slice(1).map((run, index) => run.startedAt - (arrivals[index]?.startedAt ?? run.startedAt));

function isRegular(gaps: readonly number[], usual: number): boolean {
  if (gaps.length < SCHEDULE.minGaps) return false;
  const alike = gaps.filter((gap) => Math.abs(gap - usual) <= usual * SCHEDULE.tolerance);
  return alike.length >= gaps.length * SCHEDULE.regularPart;
}

function isScheduleSilent(age: number, usual: number, expected: number): boolean {
  if (usual >= SCHEDULE.longGapMs) return expected >= 1 && age >= SCHEDULE.missedOfLong * usual;
  return expected >= SCHEDULE.missed && age >= (SCHEDULE.missed + SCHEDULE.tolerance) * usual;
}

function isWebhookSilent(age: number, gaps: readonly number[], expected: number): boolean {
  if (gaps.length < WEBHOOK.minGaps) return false;
  return expected >= WEBHOOK.expected && age >= WEBHOOK.timesLongest * Math.max(...gaps);
}

interface Rhythm {
  readonly knownSince: number;
  readonly usualGapMs: number;
}

/**
 * How many began in the same span a week earlier: an hour of the week is like itself. Where no week is known, a day
 * earlier, unless a weekend is near. Null when that is not known either.
 */
function expectedIn(
  silence: Span,
  arrivals: readonly Run[],
  { knownSince, usualGapMs }: Rhythm,
): number | null {
  const slack = Math.min(SLACK_MS, usualGapMs / 2);
  const began = Math.max(knownSince, arrivals[0]?.startedAt ?? knownSince);
  const earlier = (by: number): number =>
    arrivals.filter(({ startedAt }) => startedAt > silence.from - by + slack && startedAt <= silence.to - by)
      .length;
  if (began <= silence.from - WEEK_MS) return earlier(WEEK_MS);
  return began <= silence.from - DAY_MS && !isNearWeekend(silence) ? earlier(DAY_MS) : null;
}

function isNearWeekend({ from, to }: Span): boolean {
  for (let time = from - ZONES_MS; time < to + ZONES_MS + HOUR_MS; time += HOUR_MS)
    if ([0, 6].includes(new Date(time).getUTCDay())) return true;
  return false;
}
