/** Stretches of known history, compared with a naive set of steps from one id down to the next. */
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

/** Ids around 10, which must be compared as numbers. */
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

/** A stretch knows each of its ids, and that nothing lies between two of them. */
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

describe("how far down everything is known from an id", () => {
  test.each<[string, number, Stretch[], number, boolean]>([
    ["when nothing is known", 9, [], 9, false],
    ["above a stretch", 12, [of(11, 3)], 12, false],
    ["below a stretch", 2, [of(11, 3)], 2, false],
    ["at the top of a stretch", 11, [of(11, 3)], 3, false],
    ["within a stretch", 10, [of(100, 9)], 9, false],
    ["at the bottom of a stretch", 3, [of(11, 3)], 3, false],
    ["when the next stretch shares an id", 20, [of(20, 11), of(11, 3)], 3, false],
    [
      "when the next stretch shares none, since others may lie between",
      20,
      [of(20, 12), of(11, 3)],
      12,
      false,
    ],
    ["when there is nothing older", 20, [of(11, 3, true), of(20, 11)], 3, true],
  ])("%s", (_name, id, stretches, low, isBottom) => {
    expect(knownDownTo(String(id), stretches)).toEqual({ low: String(low), isBottom });
  });

  test("equals the naive result for any stretches", () => {
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

  test("works for ids beyond exact numbers", () => {
    const high = "9007199254740993123";
    const stretch: Stretch = { high, low: "9007199254740993121", isBottom: false };
    expect(knownDownTo(high, [stretch]).low).toBe(stretch.low);
    expect(isInside("9007199254740993120", stretch)).toBe(false);
    expect(isInside("9007199254740993122", stretch)).toBe(true);
  });
});

describe("the stretch at an id", () => {
  test("contains it and reaches down furthest", () => {
    fc.assert(
      fc.property(history, someId, (stretches, id) => {
        const holding = stretches.filter(({ high, low }) => Number(high) >= id && id >= Number(low));
        const lowest = holding.length === 0 ? undefined : Math.min(...holding.map(({ low }) => Number(low)));
        expect(stretchAt(String(id), stretches)?.low).toBe(lowest?.toString());
      }),
    );
  });

  test("is the one that knows the bottom, if two reach equally far", () => {
    expect(stretchAt("5", [of(9, 1, true), of(8, 1)])?.isBottom).toBe(true);
    expect(stretchAt("5", [of(8, 1), of(9, 1, true)])?.isBottom).toBe(true);
  });
});

describe("a union", () => {
  test("knows exactly what its parts know", () => {
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
