/** Stretches of known history, against the naive way: a set of the steps from one id down to the next. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isInside,
  knownDownTo,
  type Stretch,
  stretchAt,
  union,
} from "../../../src/history/store/stretches.ts";

const of = (high: number, low: number, isBottom = false): Stretch => ({
  high: String(high),
  low: String(low),
  isBottom,
});

/** Ids around 10, where one digit becomes two: they must be compared as numbers. */
const OLDEST = 1;
const NEWEST = 25;

const someStretch = fc
  .tuple(fc.integer({ min: OLDEST, max: NEWEST }), fc.integer({ min: OLDEST, max: NEWEST }))
  .map(([a, b]) => of(Math.max(a, b), Math.min(a, b)));
/** Stretches of one history, in which the oldest execution has the lowest id. */
const history = fc
  .tuple(fc.array(someStretch, { maxLength: 6 }), fc.boolean())
  .map(([stretches, knowsBottom]) =>
    stretches.map((one) => ({ ...one, isBottom: knowsBottom && one.low === String(OLDEST) })),
  );
const someId = fc.integer({ min: OLDEST, max: NEWEST });

/** Known: every id of it, and that between it and the next one of the stretch there is nothing else. */
function stepsOf(stretches: readonly Stretch[]): Set<string> {
  const steps = new Set<string>();
  for (const { high, low } of stretches) {
    for (let id = Number(high); id >= Number(low); id -= 1) {
      steps.add(`${id}`);
      if (id > Number(low)) steps.add(`${id} down`);
    }
  }
  return steps;
}

describe("how far down all is known", () => {
  test.each<[string, number, Stretch[], number, boolean]>([
    ["nothing is known", 9, [], 9, false],
    ["it stands above a stretch", 12, [of(11, 3)], 12, false],
    ["it stands below", 2, [of(11, 3)], 2, false],
    ["at its top", 11, [of(11, 3)], 3, false],
    ["within", 10, [of(100, 9)], 9, false],
    ["at its bottom", 3, [of(11, 3)], 3, false],
    ["the next stretch shares an id", 20, [of(20, 11), of(11, 3)], 3, false],
    ["the next stretch shares none: something may stand between", 20, [of(20, 12), of(11, 3)], 12, false],
    ["there is nothing older", 20, [of(11, 3, true), of(20, 11)], 3, true],
  ])("%s", (_name, id, stretches, low, isBottom) => {
    expect(knownDownTo(String(id), stretches)).toEqual({ low: String(low), isBottom });
  });

  test("is as the naive way says, whatever the stretches", () => {
    fc.assert(
      fc.property(history, someId, (stretches, id) => {
        const steps = stepsOf(stretches);
        let low = id;
        while (steps.has(`${low} down`)) low -= 1;
        const isBottom = steps.has(`${low}`) && stretches.some((one) => one.isBottom && one.low === `${low}`);
        expect(knownDownTo(String(id), stretches)).toEqual({ low: String(low), isBottom });
      }),
      { numRuns: 1_000 },
    );
  });

  test("ids are longer than numbers are exact", () => {
    const high = "9007199254740993123";
    const stretch: Stretch = { high, low: "9007199254740993121", isBottom: false };
    expect(knownDownTo(high, [stretch]).low).toBe(stretch.low);
    expect(isInside("9007199254740993120", stretch)).toBe(false);
    expect(isInside("9007199254740993122", stretch)).toBe(true);
  });
});

describe("the stretch at an id", () => {
  test("holds it, and reaches down furthest", () => {
    fc.assert(
      fc.property(history, someId, (stretches, id) => {
        const holding = stretches.filter(({ high, low }) => Number(high) >= id && id >= Number(low));
        const lowest = holding.length === 0 ? undefined : Math.min(...holding.map(({ low }) => Number(low)));
        expect(stretchAt(String(id), stretches)?.low).toBe(lowest?.toString());
      }),
    );
  });

  test("is the one that knows the bottom, of two that reach as far", () => {
    expect(stretchAt("5", [of(9, 1, true), of(8, 1)])?.isBottom).toBe(true);
    expect(stretchAt("5", [of(8, 1), of(9, 1, true)])?.isBottom).toBe(true);
  });
});

describe("a union", () => {
  test("knows what its parts know, and no more", () => {
    const sharing = fc
      .tuple(someId, fc.array(someStretch, { minLength: 1, maxLength: 5 }))
      .map(([id, stretches]) => stretches.filter((one) => isInside(String(id), one)))
      .filter((stretches) => stretches.length > 0);
    fc.assert(
      fc.property(sharing, fc.boolean(), (stretches, knowsBottom) => {
        const parts = stretches.map((one) => ({ ...one, isBottom: knowsBottom && one.low === `${OLDEST}` }));
        const all = union(parts);
        expect(stepsOf([all])).toEqual(stepsOf(parts));
        expect(all.isBottom).toBe(parts.some(({ isBottom }) => isBottom));
      }),
    );
  });
});
