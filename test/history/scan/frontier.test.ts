/** What a scan may claim while its pages finish in any order. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claimable, cutToLimit, Frontier, type Step } from "../../../src/history/scan/jobs.ts";
import { type Stretch, union } from "../../../src/history/store/stretches.ts";

const step = (low: number, isBottom = false): Step => ({ low: String(low), isBottom });

/** A frontier with its steps; `finish` gives what may be claimed if executions up to `settled` have settled. */
function frontierWith(settled: number | null, steps: readonly Step[]) {
  const frontier = new Frontier();
  for (const one of steps) frontier.begin(one);
  const finish = (one: Step): Stretch | null => {
    const descent = frontier.finish(one);
    return descent === null ? null : claimable(descent, settled === null ? null : String(settled));
  };
  return { frontier, finish };
}

describe("pages that finish in order", () => {
  test("are claimed one after another, from the settled id", () => {
    const steps = [step(90), step(80), step(70, true)] as const;
    const { frontier, finish } = frontierWith(100, steps);
    expect(steps.map(finish)).toEqual([
      { high: "100", low: "90", isBottom: false },
      { high: "90", low: "80", isBottom: false },
      { high: "80", low: "70", isBottom: true },
    ]);
    expect(frontier.low).toBe("70");
  });

  test("claim nothing before the first has finished", () => {
    expect(frontierWith(100, [step(90)]).frontier.low).toBeNull();
  });
});

describe("pages that finish out of order", () => {
  test("wait for those above", () => {
    const steps = [step(90), step(80), step(70)] as const;
    const { frontier, finish } = frontierWith(100, steps);
    expect(finish(steps[2])).toBeNull();
    expect(finish(steps[1])).toBeNull();
    expect(frontier.low).toBeNull();
    expect(finish(steps[0])).toEqual({ high: "100", low: "70", isBottom: false });
  });

  test("below a failed page are not claimed", () => {
    const steps = [step(90), step(80), step(70, true)] as const;
    const { frontier, finish } = frontierWith(100, steps);
    expect(finish(steps[0])).toEqual({ high: "100", low: "90", isBottom: false });
    expect(finish(steps[2])).toBeNull();
    expect(frontier.low).toBe("90");
  });

  test("below an abandoned page are not claimed", () => {
    const steps = [step(90), step(80), step(70, true)] as const;
    const { frontier, finish } = frontierWith(100, steps);
    frontier.giveUp(steps[1]);
    expect(finish(steps[2])).toBeNull();
    expect(finish(steps[0])?.low).toBe("90");
    expect(frontier.low).toBe("90");
  });
});

describe("unsettled executions", () => {
  test("are not claimed, since others that have just begun may be missing", () => {
    const steps = [step(90), step(80)] as const;
    const { finish } = frontierWith(85, steps);
    expect(finish(steps[0])).toBeNull();
    expect(finish(steps[1])).toEqual({ high: "85", low: "80", isBottom: false });
  });

  test("a window with dates claims nothing, but knows how far it got", () => {
    const steps = [step(90), step(80, true)] as const;
    const { frontier, finish } = frontierWith(null, steps);
    expect(steps.map(finish)).toEqual([null, null]);
    expect(frontier.low).toBe("80");
  });

  test("ids are compared as numbers", () => {
    const steps = [step(9), step(8)] as const;
    expect(frontierWith(10, steps).finish(steps[0])).toEqual({ high: "10", low: "9", isBottom: false });
  });
});

const NEWEST = 130;

/** Descending steps of a scan, and the order in which some or all of them finish. */
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

describe("in any order", () => {
  test("exactly the gapless part is claimed, each id once", () => {
    fc.assert(
      fc.property(scans, ({ steps, order, settled }) => {
        const { frontier, finish } = frontierWith(settled, steps);
        const ended = new Set<number>();
        const claims: Stretch[] = [];
        for (const index of order) {
          const one = steps[index];
          if (one === undefined) continue;
          const claim = finish(one);
          ended.add(index);
          if (claim !== null) claims.push(claim);
          const gap = steps.findIndex((_step, at) => !ended.has(at));
          const last = steps[(gap === -1 ? steps.length : gap) - 1];
          expect(frontier.low).toBe(last?.low ?? null);
          const isReached = last !== undefined && Number(last.low) <= settled;
          expect(claims.length > 0 ? union(claims) : null).toEqual(
            isReached ? { high: String(settled), low: last.low, isBottom: last.isBottom } : null,
          );
        }
        // Each claim begins where the one before ended.
        expect(claims.slice(1).map(({ high }) => high)).toEqual(claims.slice(0, -1).map(({ low }) => low));
      }),
      { numRuns: 1_000 },
    );
  });
});

test("an unlisted page that would exceed the limit is left out whole", () => {
  const run = { items: [], wanted: new Set(["9", "8", "7"]), workflowId: null, query: null };
  const job = { run, ...step(7) };
  expect(cutToLimit(job, 3)).toBe(job);
  expect(cutToLimit(job, 2)).toBeNull();
});
