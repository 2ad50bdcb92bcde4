/** The cases that each lane runs: a part that is never empty, and the rest. */
import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { casesOf, inBothLanes, isHeavyLane, runs, sizeOf } from "./lane.ts";

describe("in both lanes", inBothLanes, () => {
  test("the heavy lane is the project of that name", ({ task }) => {
    expect(isHeavyLane).toBe(task.file.projectName === "heavy");
  });

  test("npm test runs an even, non-empty part, and the heavy lane the rest or all", () => {
    const all = Array.from({ length: 12 }, (_one, index) => index);
    expect(casesOf(all, 5)).toEqual(isHeavyLane ? [1, 2, 3, 4, 6, 7, 8, 9, 11] : [0, 5, 10]);
    expect(casesOf(all, 5, "again")).toEqual(isHeavyLane ? all : [0, 5, 10]);
    expect(casesOf([1], 20)).toEqual(isHeavyLane ? [] : [1]);
    expect(runs(1_000)).toBe(isHeavyLane ? 1_000 : 100);
    expect(runs(1)).toBe(1);
    expect(sizeOf(5, 1)).toBe(isHeavyLane ? 5 : 1);
  });
});

test("an unmarked test may not run only a part, as the heavy lane would not run the rest", () => {
  for (const ask of [() => runs(5), () => casesOf([1]), () => sizeOf(5, 1)]) {
    expect(ask).toThrow("mark it with `inBothLanes`");
  }
});

test("each file that differs between the lanes has a marked test", () => {
  const differing = globSync("test/**/*.test.ts").filter((path) =>
    /\/lane\.ts"/.test(readFileSync(path, "utf8")),
  );
  expect(differing.length).toBeGreaterThan(20);
  const unmarked = differing.filter(
    (path) => !/\binBothLanes\b/.test(readFileSync(path, "utf8").replace(/^import.*$/gm, "")),
  );
  expect(unmarked).toEqual([]);
});
