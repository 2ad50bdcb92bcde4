/** A pattern written over several lines is the regular expression of its lines put together. */
import { expect, test } from "vitest";
import { pattern } from "../../src/platform/pattern.ts";

test("line breaks and indentation do not count, spaces within a line do", () => {
  const yes = pattern("i")`
    ^(?:
      yes please|ja\b
      |[ ]oui\/si
    )$
  `;
  expect(yes).toEqual(/^(?:yes please|ja\b|[ ]oui\/si)$/i);
});

test("a pattern without flags has none", () => {
  expect(pattern()`a|b`).toEqual(/a|b/);
});
