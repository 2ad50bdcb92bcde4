/** Blocks of filters, compared with a map from ids to filters. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createTermKey } from "../../../src/history/request-ids/correlation-digest.ts";
import {
  CREATE_FILTER_TABLE,
  FILTER_TABLE,
  FilterBlocks,
  type FilterPage,
} from "../../../src/history/terms/filter-blocks.ts";
import { MAX_TERMS, writeFilter } from "../../../src/history/terms/term-filter.ts";
import { type Term, TermHasher } from "../../../src/history/terms/term-hasher.ts";
import type { Sql } from "../../../src/platform/sql.ts";
import { inBothLanes, runs } from "../../support/lane.ts";
import { createLocalSql } from "../../support/local-history.ts";

const hasher = new TermHasher(createTermKey("a secret", "default"));

function termOf(text: string): Term {
  hasher.text(text);
  return hasher.term;
}

const filterOf = (...texts: readonly string[]): Uint8Array =>
  writeFilter({ terms: texts.map(termOf), count: texts.length, hasCutWords: false, isPartial: false });

interface Watched {
  readonly sql: Sql;
  readonly blocks: FilterBlocks;
  readonly written: () => number;
}

function blocksOf(): Watched {
  const local = createLocalSql();
  local.exec(CREATE_FILTER_TABLE);
  let written = 0;
  const sql: Sql = {
    databaseSize: 0,
    exec(query, ...bindings) {
      if (!query.startsWith("SELECT")) written += 1;
      return local.exec(query, ...bindings);
    },
  };
  return { sql, blocks: new FilterBlocks(sql), written: () => written };
}

function* pagesOf(
  blocks: FilterBlocks,
  below: string,
  downTo: string,
  ...[concerns]: [Parameters<FilterBlocks["page"]>[2]]
): Generator<FilterPage> {
  for (let from = below; ; ) {
    const page = blocks.page(from, downTo, concerns);
    if (page === null) return;
    yield page;
    from = page.low;
  }
}

const concerned = (blocks: FilterBlocks, text: string, below: number, downTo: number): number[] => {
  const term = termOf(text);
  const pages = pagesOf(blocks, String(below), String(downTo), (filter) => filter.mayHold(term));
  return [...pages].flatMap(({ filters }) => [...filters.keys()].map(Number));
};

/** Ids in a few blocks, above all at the ends of blocks. */
const id = fc.oneof(
  fc.integer({ min: 1, max: 400 }),
  fc.constantFrom(127, 128, 129, 255, 256, 9_999, 40 * 128, 40 * 128 - 1, 90 * 128),
);
const filter = fc.constantFrom("red", "blue", null);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ put: fc.array(fc.tuple(id, filter), { maxLength: 20 }) }) },
  { weight: 4, arbitrary: fc.record({ remove: fc.array(id, { maxLength: 20 }) }) },
  { weight: 1, arbitrary: fc.constant("forget" as const) },
);

test("blocks equal a map after any puts, removals and forgetting", inBothLanes, () => {
  let found = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), id, id, (steps, one, other) => {
      const { sql, blocks } = blocksOf();
      const known = new Map<number, "red" | "blue" | null>();
      for (const each of steps) {
        if (each === "forget") {
          blocks.forgetAll();
          for (const key of known.keys()) known.set(key, null);
        } else if ("put" in each) {
          const put = new Map(each.put);
          blocks.put(
            new Map([...put].map(([key, text]) => [String(key), text === null ? null : filterOf(text)])),
          );
          for (const [key, text] of put) known.set(key, text);
        } else {
          blocks.remove(each.remove.map(String));
          for (const key of each.remove) known.delete(key);
        }
      }
      const [low, below] = [Math.min(one, other), Math.max(one, other)];
      const expected = [...known]
        .filter(([key, text]) => key < below && key >= low && text !== "blue")
        .map(([key]) => key)
        .sort((a, b) => b - a);
      expect(concerned(blocks, "red", below, low)).toEqual(expected);
      const withFilter = [...known].filter(([, text]) => text !== null).map(([key]) => key);
      const asked = [...known.keys(), 401, 90 * 128 + 1].map(String);
      expect([...blocks.of(asked).keys()].map(Number).sort()).toEqual(withFilter.sort());
      if (known.size === 0) expect([...sql.exec(`SELECT 1 FROM ${FILTER_TABLE}`)]).toEqual([]);
      found += expected.length;
    }),
    { numRuns: runs(300) },
  );
  expect(found).toBeGreaterThan(runs(300));
});

test("blocks are read page by page, each execution once", () => {
  const { blocks } = blocksOf();
  const ids = Array.from({ length: 400 }, (_one, index) => 1 + index * 97);
  blocks.put(new Map(ids.map((one) => [String(one), filterOf("red")])));
  expect(concerned(blocks, "red", 100_000, 1)).toEqual(ids.toReversed());
  expect([...pagesOf(blocks, "100000", "1", () => false)].length).toBeGreaterThan(1);
});

test("pages contain some hundred executions, however many a search concerns", () => {
  const { blocks } = blocksOf();
  const ids = Array.from({ length: 3_000 }, (_one, index) => 1 + index);
  blocks.put(new Map(ids.map((one) => [String(one), filterOf("red")])));
  const pages = [...pagesOf(blocks, "100000", "1", () => true)].map(({ filters }) => filters.size);
  expect(Math.max(...pages)).toBeLessThan(1_000);
  expect(pages.reduce((sum, size) => sum + size)).toBe(ids.length);
});

test("blocks work for ids beyond exact numbers", () => {
  const { blocks } = blocksOf();
  const [one, other] = ["9007199254740993", "9007199254740995"];
  blocks.put(new Map([one, other].map((large) => [large, null])));
  expect([...(blocks.page("9007199254740995", "1", () => false)?.filters.keys() ?? [])]).toEqual([one]);
  expect([...(blocks.page("9007199254740999", other, () => false)?.filters.keys() ?? [])]).toEqual([other]);
});

test("a block can contain the largest possible filters", () => {
  const { sql, blocks } = blocksOf();
  const largest = filterOf(...Array.from({ length: MAX_TERMS }, (_one, index) => `term ${index}`));
  const ids = Array.from({ length: 128 }, (_one, index) => String(128 + index));
  blocks.put(new Map(ids.map((one) => [one, largest])));
  expect([...sql.exec(`SELECT COUNT(*) AS count FROM ${FILTER_TABLE}`)]).toEqual([{ count: 1 }]);
  expect([...blocks.of(ids).values()].every((one) => one.mayHold(termOf("term 5")))).toBe(true);
  expect([...blocks.of(ids).values()].some((one) => one.mayHold(termOf("no term")))).toBe(false);
});

test("the filters of a page are written together, and not at all if unchanged", () => {
  const { blocks, written } = blocksOf();
  const page = new Map(Array.from({ length: 100 }, (_one, index) => [String(index), filterOf("red")]));
  blocks.put(page);
  expect(written()).toBe(1);
  blocks.put(new Map([["5", filterOf("red")]]));
  expect(written()).toBe(1);
  blocks.put(new Map([["5", null]]));
  expect(written()).toBe(2);
});
