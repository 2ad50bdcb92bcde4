/**
 * How many of many cases a lane runs: `npm test` a part, the same one each time; `npm run test:heavy` all.
 * A file that imports this runs in both lanes (`vitest.config.ts` looks for it).
 */
export const isHeavyLane = process.env.TEST_LANE === "heavy";

/** What a newcomer waits for is a part of this size. */
const PART = 5;

/** How often a property is tried, of the number of times that the heavy lane tries it. */
export const runs = (all: number): number => (isHeavyLane ? all : Math.ceil(all / PART));

/** The cases of this lane: all, or one of each `every`, evenly over the list. */
export const casesOf = <T>(all: readonly T[], every = PART): readonly T[] =>
  isHeavyLane ? all : all.filter((_one, index) => index % every === 0);

/** How large something is in this lane. */
export const sizeOf = (heavy: number, otherwise: number): number => (isHeavyLane ? heavy : otherwise);
