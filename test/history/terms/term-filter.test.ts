import fc from "fast-check";
import { expect, test } from "vitest";
import { createTermKey } from "../../../src/history/request-ids/correlation-digest.ts";
import { MAX_TERMS, TermSet, writeFilter } from "../../../src/history/terms/term-filter.ts";
import { type Term, TermHasher } from "../../../src/history/terms/term-hasher.ts";
import { readFilter } from "../../support/read-filter.ts";

const hasher = new TermHasher(createTermKey("a secret", "default"));

function termOf(text: string): Term {
  hasher.text(text);
  return hasher.term;
}

const termsOf = (count: number, prefix = "term"): Term[] =>
  Array.from({ length: count }, (_, index) => termOf(`${prefix} ${index}`));

const bytesOf = (terms: readonly Term[], hasCutWords = false): Uint8Array =>
  writeFilter({ terms, count: terms.length, hasCutWords, isPartial: false });

test.each([0, 1, 2, 7, 100, 1_000, MAX_TERMS])("a filter of %d terms contains each of them", (count) => {
  const terms = termsOf(count);
  const bytes = bytesOf(terms);
  const filter = readFilter(bytes);
  expect(filter.isConclusive).toBe(true);
  expect(terms.filter((term) => !filter.mayHold(term))).toEqual([]);
});

test.each([100, 1_000, MAX_TERMS])(
  "a filter of %d terms has about one false hit in a million for each term",
  (count) => {
    const others = termsOf(100_000, "other");
    const filter = readFilter(bytesOf(termsOf(count)));
    const wrong = others.filter((term) => filter.mayHold(term)).length;
    expect(wrong / others.length).toBeLessThan((count / 2 ** 20) * 3);
    expect(wrong).toBeGreaterThan(0);
  },
);

test("an empty filter contains nothing", () => {
  const filter = readFilter(bytesOf([]));
  expect(filter.isConclusive).toBe(true);
  expect(termsOf(100).some((term) => filter.mayHold(term))).toBe(false);
});

test("too many terms are marked, and take no space", () => {
  const bytes = bytesOf(termsOf(MAX_TERMS + 1));
  expect(bytes).toHaveLength(1);
  expect(readFilter(bytes).isConclusive).toBe(false);
});

test("a filter tells whether words were cut", () => {
  expect(readFilter(bytesOf(termsOf(3), true))).toMatchObject({ isConclusive: true, hasCutWords: true });
  expect(readFilter(bytesOf(termsOf(3)))).toMatchObject({ isConclusive: true, hasCutWords: false });
});

test("a set counts each term once and stops at the maximum", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(400), { maxLength: 1_000 }), (numbers) => {
      const set = new TermSet();
      for (const number of numbers) set.add(termOf(String(number)));
      expect(set.count).toBe(new Set(numbers).size);
      expect([...set]).toHaveLength(set.count);
    }),
    { numRuns: 30 },
  );
  const set = new TermSet();
  for (const term of termsOf(MAX_TERMS)) set.add(term);
  expect(set.isFull).toBe(false);
  for (const term of termsOf(100, "more")) set.add(term);
  expect([set.isFull, set.count]).toEqual([true, MAX_TERMS + 1]);
});

test("pairs are ordered, and another key gives other hashes", () => {
  const [one, other] = [termOf("one"), termOf("other")];
  const pairs = [
    [one, other],
    [other, one],
    [one, one],
  ].map(([left = one, right = one]) => {
    hasher.pair(left, right);
    return hasher.term;
  });
  expect(new Set([one, other, ...pairs].map(({ high, low }) => `${high} ${low}`)).size).toBe(5);
  for (const [secret, name] of [
    ["another secret", "default"],
    ["a secret", "other"],
  ]) {
    const different = new TermHasher(createTermKey(secret ?? "", name ?? ""));
    different.text("one");
    expect(different.term).not.toEqual(one);
  }
});
