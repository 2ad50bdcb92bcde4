/** Runs that are unlike those of their workflow before. */
import { expect, test } from "vitest";
import type { Run } from "../../../src/history/digest/run.ts";
import { hangingRuns, unusualRuns } from "../../../src/history/digest/unusual-runs.ts";
import { DAY_MS, HOUR_MS } from "../../../src/platform/durations.ts";

/** A Thursday. */
const NOON = Date.UTC(2026, 0, 15, 12);
const window = { from: NOON, to: NOON + DAY_MS };
const before = { from: NOON - 14 * DAY_MS, to: NOON };

const runsOf = (count: number, from: number, items: number, mode: string): Run[] =>
  Array.from({ length: count }, (_one, index) => ({
    ...{ id: String(from + index), mode, status: "success" as const, waitTill: null },
    ...{ startedAt: from + index * HOUR_MS, stoppedAt: from + index * HOUR_MS + 100 },
    ...{ nodes: 5, items, caught: 0, version: null, failure: null },
  }));

const kinds = (mode: string): string[] => {
  const runs = [...runsOf(300, before.from, 40, "webhook"), ...runsOf(20, window.from, 2, mode)];
  return unusualRuns(runs, window, before).map(({ kind }) => kind);
};

test("runs that did next to nothing are unusual, but no retries, which begin where another execution failed", () => {
  expect(kinds("webhook")).toEqual(["empty"]);
  expect(kinds("retry")).toEqual([]);
});

test("an execution that hangs after a wait has run since n8n last saw it end", () => {
  const [first] = runsOf(1, NOON, 1, "webhook");
  const resumed = first && {
    ...first,
    id: "hung",
    status: "running" as const,
    stoppedAt: NOON + 2 * HOUR_MS,
  };
  const runs = [...runsOf(300, before.from, 40, "webhook"), ...(resumed ? [resumed] : [])];
  expect(hangingRuns(runs, NOON + 2 * HOUR_MS + 1_000)).toEqual([]);
  expect(hangingRuns(runs, NOON + 12 * HOUR_MS)).toMatchObject([
    { id: "hung", kind: "running", forMs: 10 * HOUR_MS },
  ]);
});
