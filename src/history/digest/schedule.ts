/**
 * When a schedule should have run: from its rules, its time zone and its last run. n8n does not say in which zone the
 * instance runs; then every zone that fits the last run has to agree. Pure.
 */
import { Cron } from "croner";
import type { ScheduleRule } from "../../n8n/workflow-schedules.ts";
import { HOUR_MS } from "../../platform/durations.ts";
import { isTimeZone } from "../../platform/time-zone.ts";

export interface MissedRuns {
  /** The first start that was missed, epoch ms. */
  readonly dueAt: number;
  /** At most twenty are counted. */
  readonly missed: number;
  /** Milliseconds from the start before. */
  readonly gapMs: number;
}

/** A short pause may be a restart; a long one is a day's or a week's work that was not done. */
const LONG_GAP_MS = 6 * HOUR_MS;
const MISSED = { ofShort: 3, counted: 20 };
/** A busy n8n starts late; without a known zone, daylight saving may have begun or ended. */
const LATE_MS = { known: HOUR_MS / 6, unknown: 1.25 * HOUR_MS };
/** How many hours the zones of the world are ahead of UTC. */
const ZONES = Array.from({ length: 27 }, (_, index) => index - 12);
const FARTHEST_MS = 14 * HOUR_MS;

/**
 * Null when none was missed, or no rule can be read. Of several rules one suffices: no run came at all.
 * @param lastAt of the last run; null where it says nothing @param since from when it should run then
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
    // A run that was not on the clock, such as one of another trigger, moves what is expected.
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

/** @param shift from the clock's time to n8n's */
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
  /** The next starts after one. */
  readonly after: (time: number, count: number) => readonly number[];
  readonly nearest: (time: number) => number;
}

/** Null for what is no pattern, such as an expression. */
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
