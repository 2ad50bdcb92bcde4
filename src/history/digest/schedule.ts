/**
 * When a schedule should have run: from its rules, its time zone and its last run. n8n does not say in which zone the
 * instance runs; then every zone that fits the last run has to agree. Pure.
 */
import { Cron } from "croner";
import type { Every, ScheduleRule } from "../../n8n/workflow-schedules.ts";
import { DAY_MS, HOUR_MS } from "./run.ts";

export interface Schedule {
  readonly rules: readonly ScheduleRule[];
  /** Null for the instance's, which n8n does not tell. */
  readonly timezone: string | null;
}

export interface MissedRuns {
  /** The first start that was missed, epoch ms. */
  readonly dueAt: number;
  /** At most `MAX_MISSED` are counted. */
  readonly missed: number;
  /** Milliseconds from the last start to the one that was missed. */
  readonly gapMs: number;
}

export const MAX_MISSED = 20;
/** A short pause may be a restart; a long one is a day's or a week's work that was not done. */
const LONG_GAP_MS = 6 * HOUR_MS;
const MISSED_OF_SHORT = 3;
/** A busy n8n starts late. */
const LATE_MS = HOUR_MS / 6;
/** Without a known zone, daylight saving may have begun or ended. */
const LATE_UNKNOWN_MS = 1.25 * HOUR_MS;
/** Of all time zones, by how many hours they may be ahead of UTC. */
const ZONES = { from: -12, to: 14 };
const UNIT_MS: Readonly<Record<Every["unit"], number>> = {
  days: DAY_MS,
  weeks: 7 * DAY_MS,
  months: 28 * DAY_MS,
};

export interface ScheduleQuestion {
  /** Start of the last run; null where none is known. */
  readonly lastAt: number | null;
  /** From when on it should run, where no run is known. */
  readonly since: number;
  readonly asOf: number;
}

/** Null when none was missed, or no rule can be read. One rule suffices: no run came at all. */
export function missedRuns({ rules, timezone }: Schedule, question: ScheduleQuestion): MissedRuns | null {
  const { lastAt, since, asOf } = question;
  const zone = timezone !== null && isTimeZone(timezone) ? timezone : null;
  const missed = rules.flatMap((rule) => {
    const clock = clockOf(rule, zone);
    if (clock === null) return [];
    // Which of the rules ran last is not known.
    if (rules.length > 1 && rule.kind === "cron" && rule.every !== null) return [];
    return (lastAt === null ? neverRun(clock, since, asOf) : missedAfter(clock, lastAt, asOf)) ?? [];
  });
  return missed.toSorted((a, b) => a.dueAt - b.dueAt)[0] ?? null;
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

interface Clock {
  readonly hasZone: boolean;
  /** The next starts after one, in order. */
  readonly after: (time: number, count: number) => readonly number[];
  /** The start that is nearest to a time. */
  readonly nearest: (time: number) => number;
}

function clockOf(rule: ScheduleRule, zone: string | null): Clock | null {
  if (rule.kind === "interval") {
    const after = (time: number, count: number): number[] =>
      Array.from({ length: count }, (_, index) => time + (index + 1) * rule.everyMs);
    return { hasZone: true, after, nearest: (time) => time };
  }
  const cron = cronOf(rule.pattern, zone ?? "UTC");
  if (cron === null) return null;
  return {
    hasZone: zone !== null,
    after: (time, count) => startsAfter(cron, rule.every, time, count),
    nearest: (time) => {
      const [before, after] = [cron.previousRuns(1, new Date(time))[0], cron.nextRun(new Date(time))];
      const around = [before, after].flatMap((date) => (date == null ? [] : [date.getTime()]));
      return around.toSorted((a, b) => Math.abs(a - time) - Math.abs(b - time))[0] ?? time;
    },
  };
}

/** Null for what is no pattern, such as an expression. */
function cronOf(pattern: string, timezone: string): Cron | null {
  try {
    return new Cron(pattern, { timezone });
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}

/** n8n counts days and weeks within the year: at its end, one more may pass. */
function startsAfter(cron: Cron, every: Every | null, time: number, count: number): readonly number[] {
  if (every === null) return cron.nextRuns(count, new Date(time)).map((date) => date.getTime());
  const starts: number[] = [];
  const unit = UNIT_MS[every.unit];
  for (let last = time; starts.length < count; ) {
    const turns = new Date(last).getUTCFullYear() !== new Date(last + every.count * unit).getUTCFullYear();
    const least = last + (every.count - 0.5 + (turns && every.unit !== "months" ? 1 : 0)) * unit;
    const next = cron.nextRun(new Date(least));
    if (next === null) break;
    last = next.getTime();
    starts.push(last);
  }
  return starts;
}

/** A run that was not on the clock, such as one of another trigger, moves what is expected. */
function missedAfter(clock: Clock, lastAt: number, asOf: number): MissedRuns | null {
  const until = asOf - (clock.hasZone ? LATE_MS : LATE_UNKNOWN_MS);
  const at = (base: number): MissedRuns | null =>
    missedFrom(clock, { base, shift: lastAt - base, hasRun: true }, until);
  const found = at(clock.nearest(lastAt));
  if (clock.hasZone || found === null) return found;
  for (let hours = ZONES.from; hours <= ZONES.to; hours += 1) {
    const there = lastAt + hours * HOUR_MS;
    const base = clock.nearest(there);
    if (Math.abs(base - there) <= HOUR_MS / 2 && at(base) === null) return null;
  }
  return found;
}

/** @param shift from the clock's time to n8n's */
function missedFrom(
  { after }: Clock,
  { base, shift, hasRun }: { base: number; shift: number; hasRun: boolean },
  until: number,
): MissedRuns | null {
  const [first, second, third] = after(base, MISSED_OF_SHORT);
  if (first === undefined) return null;
  const gapMs = hasRun || second === undefined ? first - base : second - first;
  const decisive = gapMs >= LONG_GAP_MS ? first : third;
  if (decisive === undefined || decisive + shift > until) return null;
  const missed = after(base, MAX_MISSED).filter((start) => start + shift <= until).length;
  return { dueAt: first + shift, missed, gapMs };
}

function neverRun(clock: Clock, since: number, asOf: number): MissedRuns | null {
  const until = asOf - LATE_MS - (clock.hasZone ? 0 : ZONES.to * HOUR_MS);
  return missedFrom(clock, { base: since, shift: 0, hasRun: false }, until);
}
