/**
 * Splits many cases between lanes: `npm test` runs a fixed part, `npm run tools test:heavy` the rest.
 * Of a file that imports this, the heavy lane runs the tests marked with `inBothLanes` (`vitest.config.ts`
 * finds the file, vitest the mark). An unmarked test that runs only a part fails, as its rest would never run.
 */
import { TestRunner } from "vitest";

export const isHeavyLane = process.env.TEST_LANE === "heavy";

/** The mark, as options of a test or a `describe`. */
export const inBothLanes = { tags: ["heavy"] };

/** `npm test` runs one of this many cases. */
const PART = 10;

/** The number of random runs of a property: `all` in the heavy lane, a part of it in `npm test`. */
export function runs(all: number, part = PART): number {
  expectMark();
  return isHeavyLane ? all : Math.ceil(all / part);
}

/**
 * The cases of this lane: one of each `every`, evenly spread over the list, or those between.
 * @param again "again" includes those of `npm test`, for a heavy lane that does more with each of them
 */
export function casesOf<T>(all: readonly T[], every = PART, again: "again" | "once" = "once"): readonly T[] {
  expectMark();
  if (isHeavyLane && again === "again") return all;
  return all.filter((_one, index) => (index % every === 0) !== isHeavyLane);
}

/** A size that depends on the lane. */
export function sizeOf(heavy: number, otherwise: number): number {
  expectMark();
  return isHeavyLane ? heavy : otherwise;
}

/** @throws Error in a test that the heavy lane would not run */
function expectMark(): void {
  // Undefined while tests are collected.
  const test = TestRunner.getCurrentTest();
  if (test === undefined || inBothLanes.tags.every((tag) => test.tags?.includes(tag))) return;
  throw new Error(`"${test.name}" differs between the lanes: mark it with \`inBothLanes\`.`);
}
