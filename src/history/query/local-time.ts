/** The clock of a time zone as steps: between two steps its UTC offset is constant. Pure. */
import { DAY_MS, MINUTE_MS } from "../../platform/durations.ts";
import type { Span } from "../digest/run.ts";
import { TIMES } from "./groupings.ts";

interface ClockStep {
  /** Epoch ms. */
  readonly from: number;
  /** UTC offset from then on. */
  readonly seconds: number;
}

/** Far more than any zone has in the longest window. */
const MAX_STEPS = 20;
const NUMERIC = { year: "numeric", month: "numeric", day: "numeric" } as const;
const TO_THE_SECOND = { hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" } as const;

/** @throws RangeError for an unknown zone */
function clockSteps(timeZone: string, { from, to }: Span): ClockStep[] {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, ...NUMERIC, ...TO_THE_SECOND });
  const aheadAt = (time: number): number => secondsAhead(format, time);
  const steps = [{ from, seconds: aheadAt(from) }];
  for (let time = from; time < to && steps.length < MAX_STEPS; time += DAY_MS) {
    const seconds = aheadAt(time + DAY_MS);
    if (seconds !== steps.at(-1)?.seconds)
      steps.push({ from: changeBetween(aheadAt, time, time + DAY_MS), seconds });
  }
  return steps;
}

function secondsAhead(format: Intl.DateTimeFormat, time: number): number {
  const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Math.ceil((Date.UTC(year, month - 1, day, hour, minute, second) - time) / 1_000);
}

/** The first millisecond with the UTC offset of the end. */
function changeBetween(aheadAt: (time: number) => number, start: number, end: number): number {
  let [low, high] = [Math.floor(start / 1_000), Math.ceil(end / 1_000)];
  const after = aheadAt(high * 1_000);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (aheadAt(middle * 1_000) === after) high = middle;
    else low = middle;
  }
  return high * 1_000;
}

const HOUR_STEP_MS = 15 * MINUTE_MS;

/** Converts an epoch time within the window to milliseconds since 1970 on the zone's clock. */
export function localClock(timeZone: string, window: Span): (time: number) => number {
  const steps = clockSteps(timeZone, window).toReversed();
  return (time) => time + (steps.find(({ from }) => from <= time)?.seconds ?? 0) * 1_000;
}

/** The names of all hours or days of a window, in chronological order. */
export function momentsIn(unit: "hour" | "day", timeZone: string, window: Span): string[] {
  const local = localClock(timeZone, window);
  const moments = new Set<number>();
  const { of, name } = TIMES[unit];
  for (let time = window.from; time < window.to; time += HOUR_STEP_MS) moments.add(of(local(time)));
  moments.add(of(local(window.to - 1)));
  return [...moments].map(name);
}
