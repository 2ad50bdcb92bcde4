/**
 * Random weeks of healthy n8n instances. Distributions of arrivals, durations and items follow the real world, not the
 * thresholds of the code: schedules, office hours, bursts, long tails, filters that pass nothing, caught errors.
 */
import type { Run } from "../../../src/history/digest/run.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Random numbers from 0 to 1, reproducible by their seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Random = () => number;
type Arrivals = (random: Random, from: number, to: number) => number[];

const exponential = (random: Random, mean: number): number => -mean * Math.log(1 - random());
const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const logNormal = (random: Random, middle: number, sigma: number): number =>
  middle * Math.exp(sigma * normal(random));
const pick = <One>(random: Random, all: readonly One[]): One => {
  const one = all[Math.floor(random() * all.length)];
  if (one === undefined) throw new RangeError("There is nothing to pick from.");
  return one;
};
const isOffice = (time: number): boolean => {
  const date = new Date(time);
  return ![0, 6].includes(date.getUTCDay()) && date.getUTCHours() >= 7 && date.getUTCHours() < 17;
};

/** Runs by the clock, a few seconds late and sometimes minutes. */
const schedule =
  (step: number, runs: (time: number) => boolean = () => true): Arrivals =>
  (random, from, to) => {
    const offset = Math.floor(random() * step);
    const times: number[] = [];
    for (let time = Math.ceil(from / step) * step + offset; time < to; time += step)
      if (runs(time)) times.push(time + exponential(random, random() < 0.01 ? 2 * MINUTE : 2_000));
    return times;
  };

/** Random calls at a rate that follows the day, thinned from the highest rate. */
const poisson =
  (mean: number, rateAt: (time: number) => number): Arrivals =>
  (random, from, to) => {
    const times: number[] = [];
    for (let time = from + exponential(random, mean); time < to; time += exponential(random, mean))
      if (random() < rateAt(time)) times.push(time);
    return times;
  };

/** Hours of silence, then many calls at once. */
const bursts =
  (gap: number, size: number): Arrivals =>
  (random, from, to) => {
    const times: number[] = [];
    for (let time = from + exponential(random, gap); time < to; time += exponential(random, gap)) {
      let at = time;
      for (let left = Math.ceil(exponential(random, size)); left > 0; left -= 1) {
        at += exponential(random, 3_000);
        if (at < to) times.push(at);
      }
    }
    return times;
  };

const ARRIVALS: readonly (readonly [mode: string, arrivals: Arrivals])[] = [
  ["trigger", schedule(5 * MINUTE)],
  ["trigger", schedule(HOUR)],
  ["trigger", schedule(15 * MINUTE, isOffice)],
  ["trigger", schedule(HOUR, isOffice)],
  ["trigger", schedule(DAY)],
  ["trigger", schedule(DAY, (time) => ![0, 6].includes(new Date(time).getUTCDay()))],
  ["trigger", schedule(7 * DAY)],
  // A poll that starts a run only when there is something new.
  ["trigger", poisson(20 * MINUTE, (time) => (isOffice(time) ? 1 : 0.15))],
  ["webhook", poisson(4 * MINUTE, (time) => (isOffice(time) ? 1 : 0.05))],
  ["webhook", poisson(10 * MINUTE, () => 1)],
  ["webhook", poisson(3 * HOUR, () => 1)],
  ["webhook", poisson(2 * MINUTE, (time) => 0.5 + 0.45 * Math.sin((2 * Math.PI * time) / DAY))],
  ["webhook", bursts(6 * HOUR, 40)],
  ["webhook", bursts(2 * DAY, 300)],
  ["integrated", poisson(5 * MINUTE, (time) => (isOffice(time) ? 1 : 0.1))],
];

interface Nature {
  readonly mode: string;
  readonly arrivals: Arrivals;
  readonly durationMs: (random: Random) => number;
  readonly result: (random: Random, time: number) => Pick<Run, "nodes" | "items" | "caught">;
}

function natureOf(random: Random): Nature {
  const [mode, arrivals] = pick(random, ARRIVALS);
  const middle = pick(random, [80, 900, 6_000, 90_000]);
  const sigma = pick(random, [0.1, 0.6, 1.2]);
  const nodes = 3 + Math.floor(random() * 12);
  const items = pick(random, [3, 12, 60, 400]);
  const spread = pick(random, [0, 0.3, 1]);
  /** How often a filter passes nothing; more often at night. */
  const nothing = pick(random, [0, 0, 0.02, 0.2, 0.6]);
  const isQuietAtNight = random() < 0.3;
  const caught = pick(random, [0, 0, 0.01, 0.1, 0.5]);
  return {
    mode,
    arrivals,
    durationMs: (draw) => logNormal(draw, middle, sigma),
    result: (draw, time) => {
      const part = isQuietAtNight && !isOffice(time) ? 0.9 : nothing;
      const isNothing = draw() < part;
      return {
        nodes: isNothing ? Math.ceil(nodes / 3) : nodes,
        items: isNothing ? 1 : Math.max(nodes, Math.round(logNormal(draw, items, spread))),
        caught: draw() < caught ? 1 : 0,
      };
    },
  };
}

/** One workflow's executions, newest first; those not ended by `now` are running. */
export function ordinaryRuns(random: Random, from: number, now: number): Run[] {
  const { mode, arrivals, durationMs, result } = natureOf(random);
  return arrivals(random, from, now)
    .filter((startedAt) => startedAt < now)
    .toSorted((a, b) => a - b)
    .map((startedAt, index): Run => {
      const stoppedAt = startedAt + durationMs(random);
      const hasFailed = random() < 0.01;
      const made = result(random, startedAt);
      const base = { id: String(index + 1), mode, startedAt, waitTill: null, version: null, failure: null };
      if (stoppedAt > now)
        return { ...base, status: "running", stoppedAt: null, nodes: null, items: null, caught: null };
      return { ...base, status: hasFailed ? "error" : "success", stoppedAt, ...made };
    })
    .reverse();
}
