/** A window is divided into steps: each run falls into one, and there are at most 54. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Run } from "../../../src/history/digest/run.ts";
import { seriesOf } from "../../../src/history/digest/run-series.ts";
import { DAY_MS, HOUR_MS } from "../../../src/platform/durations.ts";

const NOW = Date.UTC(2026, 10, 18, 15, 20);

const runAt = (startedAt: number, status: Run["status"]): Run => ({
  ...{ id: "1", mode: "webhook", status, startedAt, stoppedAt: startedAt, waitTill: null },
  ...{ nodes: 1, items: 1, caught: 0, version: null, failure: null },
});
const series = (hours: number, runs: readonly Run[]) =>
  seriesOf([{ workflowId: "w", runs }], { from: NOW - hours * HOUR_MS, to: NOW });

describe("a window", () => {
  test.each([
    [1, "hour", 2],
    [24, "hour", 25],
    [48, "hour", 49],
    [7 * 24, "day", 8],
    [30 * 24, "day", 31],
    [366 * 24, "week", 53],
  ])("of %i hours is shown by %s, in %i steps", (hours, by, steps) => {
    const { runs, failures, ...found } = series(hours, []);
    expect([found.by, runs.length, failures.length]).toEqual([by, steps, steps]);
  });

  test("begins at a full hour, and counts runs by their start", () => {
    const at = (hour: number, minute: number): number => Date.UTC(2026, 10, 18, hour, minute);
    const runs = [runAt(at(12, 59), "success"), runAt(at(13, 0), "error"), runAt(at(15, 19), "crashed")];
    const { from, ...found } = series(3, runs);
    expect(new Date(from).toISOString()).toBe("2026-11-18T12:00:00.000Z");
    expect(found).toEqual({ by: "hour", runs: [1, 1, 0, 1], failures: [0, 1, 0, 1] });
  });
});

test("every run of a random window is counted once, in its own step", () => {
  const run = fc
    .tuple(fc.nat(400 * 24 * 60), fc.constantFrom<Run["status"]>("success", "error", "crashed", "running"))
    .map(([minutes, status]) => runAt(NOW - minutes * 60_000, status));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 366 * 24 }), fc.array(run, { maxLength: 60 }), (hours, runs) => {
      const { by, from, ...found } = series(hours, runs);
      const length = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS }[by];
      const inWindow = runs.filter(({ startedAt }) => startedAt >= NOW - hours * HOUR_MS && startedAt < NOW);
      expect(found.runs.length).toBeLessThanOrEqual(54);
      for (const [index, count] of found.runs.entries()) {
        const begin = from + index * length;
        const own = inWindow.filter(({ startedAt }) => startedAt >= begin && startedAt < begin + length);
        const failed = own.filter(({ status }) => status === "error" || status === "crashed");
        expect([count, found.failures[index]]).toEqual([own.length, failed.length]);
      }
      expect(found.runs.reduce((sum, count) => sum + count, 0)).toBe(inWindow.length);
    }),
  );
});
