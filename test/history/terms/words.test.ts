import fc from "fast-check";
import { expect, test } from "vitest";
import { mentionIn } from "../../../src/history/payload/search-target.ts";
import { eachWord } from "../../../src/history/terms/words.ts";

interface Found {
  readonly words: string[];
  readonly parts: string[];
}

function wordsOf(text: string, from = 0, to = text.length): Found {
  const found: Found = { words: [], parts: [] };
  eachWord(text, from, to, (begin, end, isPart) =>
    (isPart ? found.parts : found.words).push(text.slice(begin, end)),
  );
  return found;
}

test("letters and digits of any script, `_` and `-` form words, which have parts", () => {
  expect(wordsOf("Order C-20417 (paid): 12.50 €, geschäft_id=東京-7")).toEqual({
    words: ["Order", "C-20417", "paid", "12", "50", "geschäft_id", "東京-7"],
    parts: ["C", "20417", "geschäft", "id", "東京", "7"],
  });
  expect(wordsOf("-_- a--b")).toEqual({ words: ["-_-", "a--b"], parts: ["a", "b"] });
  expect(wordsOf("𝒳-1 😀2")).toEqual({ words: ["𝒳-1", "2"], parts: ["𝒳", "1"] });
});

test("words end at the ends of a range", () => {
  expect(wordsOf("abc-def", 1, 6)).toEqual({ words: ["bc-de"], parts: ["bc", "de"] });
});

const piece = fc.oneof(
  fc.constantFrom(..."aZ7_- .é東م😀𝒳\0", "e\u0301", "\ud835", "\udcb3"),
  fc.string({ unit: "binary", maxLength: 2 }),
);
const anyText = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));

test("words are the longest runs of any text", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const words = text.match(/[\p{L}\p{N}_-]+/gu) ?? [];
      const parts = words.filter((word) => /[_-]/.test(word)).flatMap((word) => word.match(/[^_-]+/gu) ?? []);
      expect(wordsOf(text)).toEqual({ words, parts });
    }),
    { numRuns: 2_000 },
  );
});

test("each word counts as a mention of an id", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      eachWord(text, 0, text.length, (from, to, isPart) => {
        const word = text.slice(from, to);
        if (!isPart) expect(mentionIn(text, word)).toBeGreaterThanOrEqual(0);
      });
    }),
  );
});
