/**
 * When a schedule should have run, from its rules, its time zone and its last run. n8n does not report the time zone of
 * the instance; without a zone, every zone that fits the last run has to agree. Pure.
 */
import { Cron } from "croner";
import type { ScheduleRule } from "../../n8n/workflow-schedules.ts";
import { HOUR_MS } from "../../platform/durations.ts";
import { isTimeZone } from "../../platform/time-zone.ts";

export interface MissedRuns {
  /** The first missed start, epoch ms. */
  readonly dueAt: number;
  /** Counted up to twenty. */
  readonly missed: number;
  /** Milliseconds since the start before it. */
  readonly gapMs: number;
}

/** A short gap may be a restart; a long one means that a day's or week's work was not done. */
const LONG_GAP_MS = 6 * HOUR_MS;
const MISSED = { ofShort: 3, counted: 20 };
/** Tolerances: a busy n8n starts late; without a known zone, daylight saving time may have begun or ended. */
const LATE_MS = { known: HOUR_MS / 6, unknown: 1.25 * HOUR_MS };
/** All UTC offsets in hours. */
const ZONES = Array.from({ length: 27 }, (_, index) => index - 12);
const FARTHEST_MS = 14 * HOUR_MS;

/**
 * Null if no start was missed, or no rule can be read. With several rules one suffices, because no run came at all.
 * @param lastAt start of the last run; null if irrelevant @param since start of the expectation in that case
 */
export function missedRuns(
  rules: readonly ScheduleRule[],
  timezone: string | null,
  { lastAt, since, asOf }: { readonly lastAt: number | null; readonly since: number; readonly asOf: number },
): MissedRuns | null {
  const zone = timezone !== null && isTimeZone(timezone) ? timezone : null;
  const until = asOf - (zone === null ? LATE_MS.unknown : LATE_MS.known);
  const missed = rules.flatMap((rule) => {
    const clock = clockOf(rule, zone ?? "UTC");
    if (clock === null) return [];
    if (lastAt === null) return missedFrom(clock, since, 0, until - (zone === null ? FARTHEST_MS : 0)) ?? [];
    // A run that does not match the clock, such as one of another trigger, shifts the expected times.
    const at = (base: number) => missedFrom(clock, base, lastAt - base, until);
    const found = at(clock.nearest(lastAt));
    const isMissedThere = (hours: number): boolean => {
      const there = lastAt + hours * HOUR_MS;
      const base = clock.nearest(there);
      return Math.abs(base - there) > HOUR_MS / 2 || at(base) !== null;
    };
    return found === null || (zone === null && !ZONES.every(isMissedThere)) ? [] : [found];
  });
  return missed.toSorted((a, b) => a.dueAt - b.dueAt)[0] ?? null;
}

/** @param shift from the rule's clock to n8n's, in milliseconds */
function missedFrom(
  { after, nearest }: Clock,
  base: number,
  shift: number,
  until: number,
): MissedRuns | null {
  const [first, second, third] = after(base, MISSED.ofShort);
  if (first === undefined) return null;
  const gapMs = nearest(base) === base || second === undefined ? first - base : second - first;
  const decisive = gapMs >= LONG_GAP_MS ? first : third;
  if (decisive === undefined || decisive + shift > until) return null;
  const missed = after(base, MISSED.counted).filter((start) => start + shift <= until).length;
  return { dueAt: first + shift, missed, gapMs };
}

interface Clock {
  /** The next `count` starts after `time`. */
  readonly after: (time: number, count: number) => readonly number[];
  readonly nearest: (time: number) => number;
}

/** Null if the pattern cannot be read, such as an expression. */
function clockOf(rule: ScheduleRule, timezone: string): Clock | null {
  if ("everyMs" in rule) {
    const starts = (time: number, count: number) =>
      Array.from({ length: count }, (_, index) => time + (index + 1) * rule.everyMs);
    return { after: starts, nearest: (time) => time };
  }
  const cron = cronOf(rule.pattern, timezone);
  if (cron === null) return null;
  const after = (time: number, count: number) =>
    cron.nextRuns(count, new Date(time)).map((date) => date.getTime());
  const nearest = (time: number): number => {
    const before = cron.previousRuns(1, new Date(time + 1_000)).map((date) => date.getTime());
    const around = [...before, ...after(time, 1)];
    return around.toSorted((a, b) => Math.abs(a - time) - Math.abs(b - time))[0] ?? time;
  };
  return { after, nearest };
}

export const isReadable = (rule: ScheduleRule): boolean => clockOf(rule, "UTC") !== null;

function cronOf(pattern: string, timezone: string): Cron | null {
  try {
    return new Cron(pattern, { timezone });
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}
