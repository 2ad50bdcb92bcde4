import { describe, expect, test } from "vitest";
import { dropHalfWord } from "../../src/json/cut-text.ts";

describe("a truncated text", () => {
  test.each([
    ["sent ghp_abcdef", "sent "],
    ['{"a":"b","url":"https://jo:hun', '{"a":"b","url":"'],
    ["a\\nsk-proj-ab", "a\\"],
    ["done ", "done "],
    ["", ""],
  ])("%j loses the word that may be incomplete", (text, kept) => {
    expect(dropHalfWord(text)).toBe(kept);
  });

  test("keeps base64 in groups of four", () => {
    const text = `data ${"QUJD".repeat(300)}QU`;
    expect(dropHalfWord(text)).toBe(`data ${"QUJD".repeat(300)}`);
  });

  test("loses a long token completely", () => {
    expect(dropHalfWord(`Bearer eyJhbGciOiJI.${"a".repeat(2_000)}`)).toBe("Bearer ");
  });
});
