import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RequestRate } from "../../../src/n8n/limiter/request-rate.ts";

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 0, 1);

/** Start times of requests that each begin as soon as possible after a pause. */
function beginTimes(rate: RequestRate, pauses: readonly number[], start = START): number[] {
  let now = start;
  return pauses.map((pause) => {
    now += pause;
    now += rate.waitMs(now);
    rate.take(now);
    return now;
  });
}

function mostInAnyMinute(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at <= from + MINUTE_MS).length));
}

test("no more requests begin in any minute than allowed, however they are spread", () => {
  const pauses = fc.array(fc.oneof(fc.constant(0), fc.nat(200), fc.nat(90_000)), {
    size: "max",
    maxLength: 200,
  });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 150 }), pauses, (perMinute, spread) => {
      const times = beginTimes(new RequestRate(perMinute), spread);
      expect(times.length === 0 ? 0 : mostInAnyMinute(times)).toBeLessThanOrEqual(perMinute);
    }),
  );
});

test("continuous requests get the full rate in the first minute, and three quarters after that", () => {
  const times = beginTimes(new RequestRate(400), new Array(1_300).fill(0));
  expect(mostInAnyMinute(times)).toBe(400);
  const inMinute = (minute: number) =>
    times.filter((at) => Math.floor((at - START) / MINUTE_MS) === minute).length;
  expect([1, 2, 3].map(inMinute)).toEqual([300, 300, 300]);
});

describe("a burst of a quarter", () => {
  test("may begin at once, and again after a pause", () => {
    const rate = new RequestRate(400);
    expect(beginTimes(rate, new Array(100).fill(0))).toEqual(new Array(100).fill(START));
    expect(rate.waitMs(START)).toBe(200);
    expect(rate.waitMs(START + 199)).toBe(1);
    expect(rate.fullAt).toBe(START + 20_000);
    expect(beginTimes(rate, new Array(100).fill(0), START + 600_000)).toHaveLength(100);
    expect(rate.waitMs(START + 600_000)).toBe(200);
  });

  test("is one request for the smallest rate", () => {
    const rate = new RequestRate(2);
    rate.take(START);
    expect(rate.waitMs(START)).toBe(MINUTE_MS);
  });
});

test("a request that may not begin yet is refused", () => {
  const rate = new RequestRate(4);
  rate.take(START);
  expect(() => rate.take(START)).toThrow(RangeError);
});

test("a clock that goes back adds nothing", () => {
  const rate = new RequestRate(60);
  for (let index = 0; index < 15; index += 1) rate.take(START);
  const wait = rate.waitMs(START);
  expect(rate.waitMs(START - 50_000)).toBe(wait);
  expect(rate.waitMs(START)).toBe(wait);
});

test("a clock set back by an hour adds nothing, and waiting continues by it", () => {
  const rate = new RequestRate(60);
  for (let index = 0; index < 15; index += 1) rate.take(START);
  const wait = rate.waitMs(START);
  expect(rate.waitMs(START - 3_600_000)).toBe(wait);
  expect(rate.waitMs(START - 3_600_000 + wait)).toBe(0);
});

test("no more requests begin in any real minute, however the clock is set back", () => {
  const steps = fc.array(
    fc.record({
      pause: fc.oneof(fc.constant(0), fc.nat(200), fc.nat(90_000)),
      setBackBy: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(60_000), fc.nat(4_000_000)),
      isRestarted: fc.boolean(),
    }),
    { size: "max", maxLength: 100 },
  );
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 150 }), steps, (perMinute, all) => {
      let rate = new RequestRate(perMinute);
      let passed = 0;
      let clock = START;
      const pass = (milliseconds: number): void => {
        passed += milliseconds;
        clock += milliseconds;
      };
      const times = all.map(({ pause, setBackBy, isRestarted }) => {
        pass(pause);
        clock -= setBackBy;
        if (isRestarted) rate = new RequestRate(perMinute, rate.fullAt);
        // While the clock counts as stopped, waiting begins anew.
        for (let wait = rate.waitMs(clock); wait > 0; wait = rate.waitMs(clock)) pass(wait);
        rate.take(clock);
        return passed;
      });
      expect(times.length === 0 ? 0 : mostInAnyMinute(times)).toBeLessThanOrEqual(perMinute);
    }),
  );
});

test("a restart continues from the stored state", () => {
  const rate = new RequestRate(60);
  for (let index = 0; index < 15; index += 1) rate.take(START);
  const again = new RequestRate(60, rate.fullAt);
  expect(again.waitMs(START + 300)).toBe(rate.waitMs(START + 300));
  expect(again.waitMs(START + 300)).toBeGreaterThan(0);
});
