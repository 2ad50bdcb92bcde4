import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findStringEnd } from "../../src/json/strings.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { encode } from "./chunks.ts";

/** Character by character, as the grammar defines it. */
function endByGrammar(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '"') return at;
    if (text[at] === "\\") at += 1;
  }
  return -1;
}

const sign = fc.oneof(
  { arbitrary: fc.constantFrom("a", " ", ","), weight: 10 },
  { arbitrary: fc.constant("\\"), weight: 5 },
  { arbitrary: fc.constant('\\"'), weight: 3 },
  { arbitrary: fc.constant('"'), weight: 1 },
);

const content = fc.array(sign, { maxLength: 90 }).map((signs) => signs.join(""));

describe("the end of a string", () => {
  test("is the first unescaped quote, from any start that follows no backslash", inBothLanes, () => {
    fc.assert(
      fc.property(content, fc.nat(60), (text, offset) => {
        const start = text[offset - 1] === "\\" ? 0 : offset;
        expect(findStringEnd(encode(text), start)).toBe(endByGrammar(text, start));
      }),
      { numRuns: runs(5_000) },
    );
  });

  test("is found after any number of backslashes, near and far", () => {
    for (let filled = 0; filled < 40; filled += 1) {
      for (let backslashes = 0; backslashes < 40; backslashes += 1) {
        const text = `${"a".repeat(filled)}${"\\".repeat(backslashes)}"b"`;
        expect(findStringEnd(encode(text), 0)).toBe(endByGrammar(text, 0));
      }
    }
  });

  test("is not found in bytes that end before it or with a backslash", () => {
    for (const text of [
      "",
      "a",
      "\\",
      '\\"',
      "a".repeat(100),
      `${"a".repeat(23)}\\`,
      `${"a".repeat(30)}\\"`,
    ]) {
      expect(findStringEnd(encode(text), 0)).toBe(-1);
      expect(findStringEnd(encode(text), text.length)).toBe(-1);
    }
  });
});
