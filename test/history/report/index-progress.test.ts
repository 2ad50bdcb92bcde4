import { describe, expect, test } from "vitest";
import { executionsLeft, percentKnown } from "../../../src/history/report/index-progress.ts";

const NOW = Date.parse("2026-11-20T00:00:00.000Z");
const DAY_MS = 24 * 60 * 60 * 1_000;
const daysAgo = (days: number): string => new Date(NOW - days * DAY_MS).toISOString();

const INDEX = {
  head: { id: "10000", startedAt: daysAgo(0) },
  floor: { id: "8001", startedAt: daysAgo(2) },
  known: 2_000,
  isWhole: false,
  isFull: false,
};
const BOUNDS = { days: 3_650, maxExecutions: 1_000_000 };

describe("the number of executions left to read", () => {
  test.each([
    ["all older ids", INDEX, BOUNDS, 8_000],
    ["half of the ids, where half have an execution", { ...INDEX, known: 1_000 }, BOUNDS, 4_000],
    ["up to the maximum that is kept", INDEX, { ...BOUNDS, maxExecutions: 2_500 }, 500],
    ["up to the days that are read", INDEX, { ...BOUNDS, days: 5 }, 3_000],
    ["zero once the days are covered", INDEX, { ...BOUNDS, days: 2 }, 0],
    ["zero at the maximum that is kept", INDEX, { ...BOUNDS, maxExecutions: 1_000 }, 0],
    ["zero when n8n has nothing older", { ...INDEX, isWhole: true }, BOUNDS, 0],
    ["zero without room", { ...INDEX, isFull: true }, BOUNDS, 0],
    [
      "estimated from ids alone when only minutes are known",
      { ...INDEX, floor: { id: "8001", startedAt: daysAgo(0.01) } },
      { ...BOUNDS, days: 1 },
      8_000,
    ],
  ])("is %s", (_what, index, bounds, left) => {
    expect(executionsLeft(index, bounds, NOW)).toBe(left);
  });

  test("is unknown for an empty index", () => {
    expect(executionsLeft({ ...INDEX, head: null, floor: null, known: 0 }, BOUNDS, NOW)).toBeNull();
  });
});

test("progress is 100 % only when nothing is left", () => {
  expect([percentKnown(1, 3), percentKnown(99_999, 1), percentKnown(5, 0), percentKnown(0, 0)]).toEqual([
    25, 99, 100, 100,
  ]);
});
