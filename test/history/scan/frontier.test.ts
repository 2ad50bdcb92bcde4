/** What a scan may claim to know, while its pages end in any order. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Frontier, type FrontierStep } from "../../../src/history/scan/frontier.ts";
import { type Stretch, union } from "../../../src/history/store/stretches.ts";

const step = (low: number, isBottom = false): FrontierStep => ({ low: String(low), isBottom });

/** A frontier that has settled, and its steps down. */
function frontierWith(settled: number | null, steps: readonly FrontierStep[]): Frontier {
  const frontier = new Frontier();
  if (settled !== null) frontier.settleAt(String(settled));
  for (const one of steps) frontier.begin(one);
  return frontier;
}

describe("pages that end in order", () => {
  test("are claimed one after another, from where it has settled", () => {
    const steps = [step(90), step(80), step(70, true)] as const;
    const frontier = frontierWith(100, steps);
    expect(steps.map((one) => frontier.finish(one))).toEqual([
      { high: "100", low: "90", isBottom: false },
      { high: "90", low: "80", isBottom: false },
      { high: "80", low: "70", isBottom: true },
    ]);
    expect([frontier.low, frontier.isBottom]).toEqual(["70", true]);
  });

  test("nothing is known before the first has ended", () => {
    const frontier = frontierWith(100, [step(90)]);
    expect([frontier.low, frontier.isBottom]).toEqual([null, false]);
  });
});

describe("pages that end out of order", () => {
  test("wait for the ones above them", () => {
    const steps = [step(90), step(80), step(70)] as const;
    const frontier = frontierWith(100, steps);
    expect(frontier.finish(steps[2])).toBeNull();
    expect(frontier.finish(steps[1])).toBeNull();
    expect(frontier.low).toBeNull();
    expect(frontier.finish(steps[0])).toEqual({ high: "100", low: "70", isBottom: false });
  });

  test("a page that fails holds up all below it", () => {
    const steps = [step(90), step(80), step(70, true)] as const;
    const frontier = frontierWith(100, steps);
    expect(frontier.finish(steps[0])?.low).toBe("90");
    expect(frontier.finish(steps[2])).toBeNull();
    expect([frontier.low, frontier.isBottom]).toEqual(["90", false]);
  });
});

describe("what has not settled", () => {
  test("is not claimed: executions that have just begun may be missing there", () => {
    const steps = [step(90), step(80)] as const;
    const frontier = frontierWith(85, steps);
    expect(frontier.finish(steps[0])).toBeNull();
    expect(frontier.finish(steps[1])).toEqual({ high: "85", low: "80", isBottom: false });
  });

  test("the first place counts", () => {
    const steps = [step(80)] as const;
    const frontier = frontierWith(95, steps);
    frontier.settleAt("99");
    expect(frontier.finish(steps[0])?.high).toBe("95");
  });

  test("of a window with dates nothing is claimed, but it is known how far it went", () => {
    const steps = [step(90), step(80, true)] as const;
    const frontier = frontierWith(null, steps);
    expect(steps.map((one) => frontier.finish(one))).toEqual([null, null]);
    expect([frontier.low, frontier.isBottom]).toEqual(["80", true]);
  });

  test("ids are compared as numbers", () => {
    const steps = [step(9), step(8)] as const;
    const frontier = frontierWith(10, steps);
    expect(frontier.finish(steps[0])).toEqual({ high: "10", low: "9", isBottom: false });
  });
});

const NEWEST = 130;

/** Descending ids, as the steps of a scan have them; the order in which they end; how many end at all. */
const scans = fc
  .uniqueArray(fc.integer({ min: 1, max: NEWEST }), { minLength: 1, maxLength: 12 })
  .map((lows) => lows.toSorted((a, b) => b - a))
  .chain((lows) =>
    fc.record({
      steps: fc
        .boolean()
        .map((isBottom) => lows.map((low, at) => step(low, isBottom && at === lows.length - 1))),
      order: fc.shuffledSubarray(lows.map((_low, index) => index)),
      settled: fc.integer({ min: 1, max: NEWEST }),
    }),
  );

describe("whatever the order", () => {
  test("exactly the gapless part is claimed, never more, and never twice", () => {
    fc.assert(
      fc.property(scans, ({ steps, order, settled }) => {
        const frontier = frontierWith(settled, steps);
        const ended = new Set<number>();
        const claims: Stretch[] = [];
        for (const index of order) {
          const one = steps[index];
          if (one === undefined) continue;
          const claim = frontier.finish(one);
          ended.add(index);
          if (claim !== null) claims.push(claim);
          const gap = steps.findIndex((_step, at) => !ended.has(at));
          const last = steps[(gap === -1 ? steps.length : gap) - 1];
          expect(frontier.low).toBe(last?.low ?? null);
          expect(frontier.isBottom).toBe(last?.isBottom ?? false);
          const isReached = last !== undefined && Number(last.low) <= settled;
          expect(claims.length > 0 ? union(claims) : null).toEqual(
            isReached ? { high: String(settled), low: last.low, isBottom: last.isBottom } : null,
          );
        }
        // One begins where the one before ended.
        expect(claims.slice(1).map(({ high }) => high)).toEqual(claims.slice(0, -1).map(({ low }) => low));
      }),
      { numRuns: 1_000 },
    );
  });
});
