/** What each lane runs of many cases: a part that is never nothing, and all. */
import { expect, test } from "vitest";
import { casesOf, isHeavyLane, runs, sizeOf } from "./lane.ts";

test("the heavy lane is the one that is called so", ({ task }) => {
  expect(isHeavyLane).toBe(task.file.projectName === "heavy");
});

test("a part is spread evenly, and never empty; the heavy lane takes all", () => {
  const all = Array.from({ length: 12 }, (_one, index) => index);
  expect(casesOf(all)).toEqual(isHeavyLane ? all : [0, 5, 10]);
  expect(casesOf([1], 20)).toEqual([1]);
  expect(runs(1_000)).toBe(isHeavyLane ? 1_000 : 200);
  expect(runs(1)).toBe(1);
  expect(sizeOf(5, 1)).toBe(isHeavyLane ? 5 : 1);
});
