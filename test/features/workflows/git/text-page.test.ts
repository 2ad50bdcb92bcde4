/** The pages of any text make up the text. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { endOfPage } from "../../../../src/features/workflows/git/text-page.ts";
import { anyCharacter } from "../../../support/any-character.ts";

const cost = (part: string): number => JSON.stringify(part).length;

function pagesOf(text: string, budget: number): string[] {
  const pages: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = endOfPage(text, from, budget, cost);
    expect(end).toBeGreaterThan(from);
    pages.push(text.slice(from, end));
    from = end;
  }
  return pages;
}

test("pages make up the text, each within its budget, without splitting a character", {
  timeout: 30_000,
}, async () => {
  const line = fc.string({ unit: anyCharacter, maxLength: 60 });
  await fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.integer({ min: 20, max: 100 }), (lines, budget) => {
      const text = lines.join("\n");
      const pages = pagesOf(text, budget);
      expect(pages.join("")).toBe(text);
      for (const page of pages) {
        expect(cost(page)).toBeLessThanOrEqual(budget);
        expect(page.isWellFormed()).toBe(true);
      }
    }),
  );
});

test("a page ends at the end of a line where possible", () => {
  expect(pagesOf("abc\ndef\nghi\n", 14)).toEqual(["abc\ndef\n", "ghi\n"]);
  expect(pagesOf(`${"x".repeat(50)}\nab\n`, 20)[0]).toHaveLength(10);
});

test("a character of two units is not split, even in the middle of a line", () => {
  const text = "\u0000\u{10000}\u0000\u0000";
  expect(pagesOf(text, 20)).toEqual(["\u0000", "\u{10000}\u0000\u0000"]);
});
