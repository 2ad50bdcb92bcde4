/**
 * Workflows that used to start at a known rate and no longer do. Reports nothing if too little is known: pauses at
 * night and at weekends are not judged before one was seen. Pure.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from "../../platform/durations.ts";
import { isNearWeekend, type Run, type Span, type WorkflowRuns } from "./run.ts";
import { median } from "./statistics.ts";

export interface SilentWorkflow {
  readonly workflowId: string;
  /** `unlisted`: n8n does not list it as published; `tried_out`: it was only ever run by hand. */
  readonly kind: "schedule" | "trigger" | "webhook" | "unlisted" | "tried_out";
  /** The last run, and when it started (epoch ms). */
  readonly lastId: string;
  readonly lastAt: number;
  /** All of the last runs crashed. */
  readonly hasCrashed: boolean;
  /** When it should have run according to its schedule (epoch ms); null if only its past runs tell. */
  readonly dueAt: number | null;
  /** Median, in milliseconds. */
  readonly usualGapMs: number;
  /** Starts in the same span a week (or a day) earlier; with a schedule, the starts that it missed. */
  readonly expectedRuns: number;
}

/** Started by a clock, a poll or a call from outside; runs by people and other workflows may stop at any time. */
export const EXTERNAL_MODES: ReadonlySet<string> = new Set(["trigger", "webhook"]);

const SCHEDULE = {
  /** A week of a daily schedule. */
  minGaps: 6,
  /** A clock is exact; a queue delays. */
  tolerance: 0.1,
  /** Minimum share of regular gaps: the others are pauses at night or at weekends. With less, it is no schedule. */
  regularPart: 0.7,
  /** Minimum missed intervals; one suffices for long intervals. */
  missed: 3,
  longGapMs: 6 * HOUR_MS,
  missedOfLong: 1.25,
};

const WEBHOOK = {
  /** Outsiders call at any time: fewer gaps say nothing about the longest one. */
  minGaps: 50,
  /** Calls within a quarter of an hour count as one: they may have one cause. */
  slotMs: 15 * MINUTE_MS,
  /** This many calls do not stay away by chance. */
  expected: 15,
  /** Minimum ratio of the missing calls to the most that were ever missing before. */
  timesLongest: 2,
  /** A gap of a tenth of all known time has not occurred often enough to be usual. */
  partOfKnown: 0.1,
};

/** A start within this time after the last run's time of day, a week before, corresponds to that run. */
const SAME_START_MS = 30 * MINUTE_MS;

export interface SilenceQuestion {
  readonly asOf: number;
  readonly knownSince: number;
}

/** Null if nothing is wrong or too little is known. */
export function silenceOf(
  { workflowId, runs }: WorkflowRuns,
  { asOf, knownSince }: SilenceQuestion,
): SilentWorkflow | null {
  // If only failures are stored, no run is good news.
  if (!runs.some(({ status }) => status === "success")) return null;
  const arrivals = runs
    .filter(({ mode, startedAt }) => EXTERNAL_MODES.has(mode) && startedAt < asOf)
    .toSorted((a, b) => a.startedAt - b.startedAt);
  const last = arrivals.at(-1);
  if (last === undefined || arrivals.length <= SCHEDULE.minGaps) return null;
  const starts = arrivals.map(({ startedAt }) => startedAt);
  const gaps = gapsBetween(starts);
  const usualGapMs = median(gaps) ?? 0;
  const silence = { from: last.startedAt, to: asOf };
  const isSchedule = last.mode === "trigger" && isRegular(gaps, usualGapMs);
  const times = isSchedule ? starts : starts.filter(isOfNewSlot);
  const rhythm = { times, knownSince, usualGapMs: isSchedule ? usualGapMs : WEBHOOK.slotMs };
  const expectedRuns = expectedIn(silence, rhythm);
  if (expectedRuns === null) return null;
  const isSilent = isSchedule
    ? isScheduleSilent(asOf - last.startedAt, usualGapMs, expectedRuns)
    : isWebhookSilent(silence, expectedRuns, rhythm);
  if (!isSilent) return null;
  // A queue, a mailbox or a poll starts it at any time.
  const kind = isSchedule ? "schedule" : last.mode === "trigger" ? "trigger" : "webhook";
  return { workflowId, kind, ...lastOf(last), dueAt: null, usualGapMs, expectedRuns };
}

export const lastOf = ({ id, startedAt }: Run) => ({ lastId: id, lastAt: startedAt, hasCrashed: false });

const slotOf = (time: number): number => Math.floor(time / WEBHOOK.slotMs);

const isOfNewSlot = (time: number, index: number, times: readonly number[]): boolean =>
  index === 0 || slotOf(time) !== slotOf(times[index - 1] ?? time);

const gapsBetween = (times: readonly number[]): number[] =>
  times.slice(1).map((time, index) => time - (times[index] ?? time));

/** Runs whose gaps are looked at to judge the next one. */
const LOOKED_AT = 20;

/** The gaps between the last runs. @param runs newest first */
export function lastGaps(runs: readonly Run[]): number[] {
  const times = runs.slice(0, LOOKED_AT).map(({ startedAt }) => startedAt);
  return gapsBetween(times.toReversed());
}

function isRegular(gaps: readonly number[], usual: number): boolean {
  if (gaps.length < SCHEDULE.minGaps) return false;
  const alike = gaps.filter((gap) => Math.abs(gap - usual) <= usual * SCHEDULE.tolerance);
  return alike.length >= gaps.length * SCHEDULE.regularPart;
}

function isScheduleSilent(age: number, usual: number, expected: number): boolean {
  if (usual >= SCHEDULE.longGapMs) return expected >= 1 && age >= SCHEDULE.missedOfLong * usual;
  return expected >= SCHEDULE.missed && age >= (SCHEDULE.missed + SCHEDULE.tolerance) * usual;
}

interface Rhythm {
  /** Starts in ascending order. */
  readonly times: readonly number[];
  readonly knownSince: number;
  readonly usualGapMs: number;
}

/** Measures gaps by the starts expected in them, so that nights do not count; by duration if little is known. */
function isWebhookSilent(silence: Span, expected: number, rhythm: Rhythm): boolean {
  const { times, knownSince } = rhythm;
  const gaps = gapsBetween(times);
  const known = Math.max(knownSince, times[0] ?? knownSince);
  if (gaps.length < WEBHOOK.minGaps || expected < WEBHOOK.expected) return false;
  const measured = times.filter((time) => time >= known + WEEK_MS);
  if (measured.length > WEBHOOK.minGaps) {
    const missing = measured
      .slice(1)
      .map((time, index) => startsEarlier({ from: measured[index] ?? time, to: time }, WEEK_MS, rhythm));
    const limit = Math.max(WEBHOOK.expected, WEBHOOK.timesLongest * Math.max(...missing));
    return expected >= limit && limit <= WEBHOOK.partOfKnown * measured.length;
  }
  const longest = WEBHOOK.timesLongest * Math.max(...gaps);
  const isWellKnown = longest <= WEBHOOK.partOfKnown * (silence.to - known);
  return isWellKnown && silence.to - silence.from >= longest;
}

/** Starts in the same span, `by` milliseconds earlier. */
function startsEarlier(span: Span, by: number, { times, usualGapMs }: Rhythm): number {
  const sameStart = Math.min(SAME_START_MS, usualGapMs / 2);
  return Math.max(0, countUntil(times, span.to - by) - countUntil(times, span.from - by + sameStart));
}

function countUntil(times: readonly number[], time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((times[middle] ?? time) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Starts expected from the same span a week earlier, because hours of the week resemble each other; a day earlier if no
 * week is known and no weekend is near. Null if neither is known.
 */
function expectedIn(silence: Span, rhythm: Rhythm): number | null {
  const began = Math.max(rhythm.knownSince, rhythm.times[0] ?? rhythm.knownSince);
  if (began <= silence.from - WEEK_MS) return startsEarlier(silence, WEEK_MS, rhythm);
  return began <= silence.from - DAY_MS && !isNearWeekend(silence)
    ? startsEarlier(silence, DAY_MS, rhythm)
    : null;
}
