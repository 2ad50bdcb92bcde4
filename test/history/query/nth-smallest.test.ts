import fc from "fast-check";
import { expect, test } from "vitest";
import { nthSmallest } from "../../../src/history/query/nth-smallest.ts";
import { threadSeconds } from "../../support/thread-seconds.ts";

const fraction = fc.double({ noNaN: true }).map((value) => (value === 0 ? 0 : value));
const numbers = fc.oneof(fc.array(fc.nat(5)), fc.array(fc.nat()), fc.array(fraction));

test("gives the value at that rank in sorted order, for several ranks in turn", () => {
  fc.assert(
    fc.property(numbers, fc.array(fc.nat(20), { minLength: 1 }), (all, ranks) => {
      const sorted = Float64Array.from(all).sort();
      const asked = Float64Array.from(all);
      for (const rank of ranks) expect(nthSmallest(asked, rank)).toBe(sorted[rank] ?? null);
    }),
    { numRuns: 1_000 },
  );
});

/** Always places the smallest remaining value in the middle. */
function worst(count: number): Float64Array {
  const all = new Float64Array(count);
  const places = Array.from({ length: count }, (_one, index) => index);
  for (let low = 0; low < count; low += 1) {
    const middle = (low + count - 1) >>> 1;
    all[places[middle] ?? 0] = low;
    places[middle] = places[low] ?? 0;
  }
  return all;
}

test("the worst order takes no longer than sorting", () => {
  const count = 200_000;
  const all = worst(count);
  const seconds = threadSeconds(() => expect(nthSmallest(all, count - 1)).toBe(count - 1));
  // Without its recursion limit it takes a hundred times as long.
  expect(seconds).toBeLessThan(2);
});
