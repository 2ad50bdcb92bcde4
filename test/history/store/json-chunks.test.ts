/** Rows as JSON texts that fit a value of SQLite. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonChunks, MAX_CHUNK_CHARACTERS } from "../../../src/history/store/index-database.ts";

const chunksOf = (rows: unknown[]): string[] => [...jsonChunks(rows)];

describe("chunks", () => {
  test("contain every row once, in order", () => {
    const row = fc.array(
      fc.oneof(fc.string(), fc.constant("漢".repeat(90_000)), fc.integer(), fc.constant(null)),
    );
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
        expect(chunksOf(rows).flatMap((chunk) => JSON.parse(chunk))).toEqual(rows);
      }),
      { numRuns: 50 },
    );
  });

  test("are as large as allowed, and no larger", () => {
    const row = ["x".repeat(996)];
    const chunks = chunksOf(Array.from({ length: 1_500 }, () => row));
    expect(chunks.map(({ length }) => length)).toEqual([499_500, 499_500, 499_500, 3_004]);
  });

  test("stay below SQLite's limit even at three bytes a character", () => {
    const chunks = chunksOf(Array.from({ length: 2_000 }, () => ["漢".repeat(500)]));
    for (const chunk of chunks) expect(Buffer.byteLength(chunk)).toBeLessThan(2_000_000);
    expect(chunks.every(({ length }) => length <= MAX_CHUNK_CHARACTERS)).toBe(true);
  });

  test("of no rows are none", () => {
    expect(chunksOf([])).toEqual([]);
  });
});
