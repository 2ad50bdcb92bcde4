/** The memory of recent writes, after the clock was set back. */
import { expect, test } from "vitest";
import { RecentWrites } from "../../../src/history/store/recent-writes.ts";
import { memorableExecution, tracedExecution } from "../../builders/known-executions.ts";

const AN_HOUR = 3_600_000;
const LONG_AFTER = 600_000;

test.each([
  ["right", 0],
  ["set back by an hour", AN_HOUR],
])("with a clock that is %s, old writes are forgotten", (_how, firstAt) => {
  const recent = new RecentWrites();
  const keep = (id: number, now: number): void =>
    recent.noteKept([memorableExecution(tracedExecution(id))], now);
  keep(1, firstAt);
  keep(2, 0);
  keep(3, LONG_AFTER);
  expect(["1", "2", "3"].map((id) => recent.isKeptSince(id, -1))).toEqual([false, false, true]);
});
