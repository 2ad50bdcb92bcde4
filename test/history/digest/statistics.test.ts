/** The probability of a sample, compared with the plain sum over all possible samples. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { chanceOfAtLeast } from "../../../src/history/digest/statistics.ts";

/** How many ways there are to choose `chosen` of `all`. */
function binomial(all: number, chosen: number): number {
  if (chosen < 0 || chosen > all) return 0;
  let ways = 1;
  for (let one = 1; one <= chosen; one += 1) ways = (ways * (all - chosen + one)) / one;
  return ways;
}

function summed(count: number, sample: number, kind: number, all: number): number {
  let ways = 0;
  for (let found = count; found <= Math.min(sample, kind); found += 1)
    ways += binomial(kind, found) * binomial(all - kind, sample - found);
  return ways / binomial(all, sample);
}

test("the chance is the share of samples with at least that count", () => {
  const parts = fc
    .integer({ min: 2, max: 120 })
    .chain((of) =>
      fc.tuple(fc.constant(of), fc.integer({ min: 1, max: Math.floor(of / 2) }), fc.nat(Math.floor(of / 2))),
    )
    .chain(([of, sample, kind]) =>
      fc.record({
        of: fc.constant(of),
        sample: fc.constant(sample),
        kind: fc.constant(kind),
        count: fc.nat(Math.min(sample, kind) + 1),
      }),
    );
  fc.assert(
    fc.property(parts, ({ of, sample, kind, count }) => {
      const chance = chanceOfAtLeast({ count, of: sample }, { count: kind, of });
      expect(chance).toBeCloseTo(summed(count, sample, kind, of), 9);
      expect(chance).toBeGreaterThanOrEqual(0);
    }),
  );
});

test.each([
  // All nine failures and none of nine before: one sample of 48,620.
  [9, 9, 9, 18, 1 / 48_620],
  // Like tosses of a fair coin: a normal distribution, half of it above the mean.
  [5, 50_000, 10, 100_000, 0.62305],
  [0, 8, 3, 108, 1],
])("chance of %i in a sample of %i, where %i of %i are of the kind", (count, sample, kind, of, chance) => {
  expect(chanceOfAtLeast({ count, of: sample }, { count: kind, of })).toBeCloseTo(chance, 4);
});
