/** What is kept of texts that come again. */
import { expect, test } from "vitest";
import { memoizeLast } from "../../src/platform/memoize.ts";

/** Of two texts, and what they were made of. */
function counting() {
  const made: string[] = [];
  const length = memoizeLast((text: string) => {
    made.push(text);
    if (text === "broken") throw new Error("broken");
    return { length: text.length };
  }, 2);
  return { made, length };
}

test("the same text has the same result, made once, and another text has its own", () => {
  const { made, length } = counting();
  expect(length("one")).toBe(length("one"));
  expect(length("three")).toEqual({ length: 5 });
  expect(length("one")).toEqual({ length: 3 });
  expect(made).toEqual(["one", "three"]);
});

test("of more texts than it keeps, those that came longest ago are made again", () => {
  const { made, length } = counting();
  for (const text of ["one", "two", "one", "three", "one", "two"]) length(text);
  expect(made).toEqual(["one", "two", "three", "two"]);
});

test("what fails is tried again", () => {
  const { made, length } = counting();
  for (const text of ["broken", "broken"]) expect(() => length(text)).toThrow("broken");
  expect(made).toEqual(["broken", "broken"]);
});
