/**
 * How many of many cases a lane runs: `npm test` a part, the same one each time; `npm run tools test:heavy` what that left.
 * Of a file that imports this, the heavy lane runs the tests that are marked with `inBothLanes` (`vitest.config.ts`
 * looks for the file, vitest for the mark). A test that asks for its part unmarked fails: the heavy lane would lack it.
 */
import { TestRunner } from "vitest";

export const isHeavyLane = process.env.TEST_LANE === "heavy";

/** The mark, as options of a test or a `describe`. */
export const inBothLanes = { tags: ["heavy"] };

/** What a newcomer waits for is a part of this size. */
const PART = 10;

/** How often a property is tried, with other cases each time: `npm run tools test:heavy` so often, `npm test` a part of it. */
export function runs(all: number, part = PART): number {
  expectMark();
  return isHeavyLane ? all : Math.ceil(all / part);
}

/**
 * The cases of this lane: one of each `every`, evenly over the list, or those between.
 * @param again also those of `npm test`, since the heavy lane does more with each of them
 */
export function casesOf<T>(all: readonly T[], every = PART, again: "again" | "once" = "once"): readonly T[] {
  expectMark();
  if (isHeavyLane && again === "again") return all;
  return all.filter((_one, index) => (index % every === 0) !== isHeavyLane);
}

/** How large something is in this lane. */
export function sizeOf(heavy: number, otherwise: number): number {
  expectMark();
  return isHeavyLane ? heavy : otherwise;
}

/** @throws {Error} in a test that the heavy lane would not run */
function expectMark(): void {
  // There is none while tests are collected.
  const test = TestRunner.getCurrentTest();
  if (test === undefined || inBothLanes.tags.every((tag) => test.tags?.includes(tag))) return;
  throw new Error(`"${test.name}" differs between the lanes: mark it with \`inBothLanes\`.`);
}
