/** A table of terms, compared with the pairs of hash and place it was made of. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { HASHES } from "../../../src/history/terms/term-filter.ts";
import { PLACES, packTable, TermTable } from "../../../src/history/terms/term-table.ts";

const pairOf = (hash: number, place: number): number => hash * PLACES + place;

function pairsIn(table: TermTable): number[] {
  const pairs: number[] = [];
  table.each((hash, place) => pairs.push(pairOf(hash, place)));
  return pairs.sort((a, b) => a - b);
}

/** Hashes close together, in one bucket, and at both ends. */
const hash = fc.oneof(
  fc.integer({ min: 0, max: 600 }),
  fc.integer({ min: HASHES - 300, max: HASHES - 1 }),
  fc.nat(HASHES - 1),
);
/** Terms shared by the same executions, like those of one workflow. */
const groups = fc.array(
  fc.record({
    hashes: fc.uniqueArray(hash, { minLength: 1, maxLength: 30 }),
    places: fc.uniqueArray(fc.nat(PLACES - 1), { minLength: 1, maxLength: 20 }),
  }),
  { maxLength: 12 },
);

test("a table contains each term of each execution, and no other", () => {
  fc.assert(
    fc.property(groups, fc.array(hash, { maxLength: 20 }), (shared, others) => {
      const pairs = new Set(
        shared.flatMap(({ hashes, places }) =>
          hashes.flatMap((one) => places.map((place) => pairOf(one, place))),
        ),
      );
      const table = new TermTable(packTable(Uint32Array.from(pairs)));
      expect(pairsIn(table)).toEqual([...pairs].sort((a, b) => a - b));
      for (const one of [...others, ...shared.flatMap(({ hashes }) => hashes)])
        for (let place = 0; place < PLACES; place += 1)
          if (table.holds(one, place) !== pairs.has(pairOf(one, place)))
            throw new Error(`The table is wrong about ${one} at ${place}.`);
    }),
    { numRuns: 60 },
  );
});

test("common terms are stored once, for as many sets of executions as a place can name", () => {
  const alone = packTable(
    Uint32Array.from({ length: 640 }, (_one, index) => pairOf(index * 1_000, index % 128)),
  );
  const common = packTable(
    Uint32Array.from({ length: 640 * 64 }, (_one, index) =>
      pairOf(Math.floor(index / 64) * 1_000, index % 64),
    ),
  );
  expect(common.length - alone.length).toBe(16);
  const manySets = Array.from({ length: 400 }, (_set, set) =>
    Array.from({ length: 10 }, (_one, term) =>
      [set % 128, (set * 7 + 1) % 128, (set * 31 + 2) % 128].map((place) =>
        pairOf(set * 2_000 + term, place),
      ),
    ),
  ).flat(2);
  const pairs = [...new Set(manySets)].sort((a, b) => a - b);
  expect(pairsIn(new TermTable(packTable(Uint32Array.from(pairs))))).toEqual(pairs);
});
