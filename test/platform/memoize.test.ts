/** Results for the latest texts are remembered. */
import { expect, test } from "vitest";
import { memoizeLast } from "../../src/platform/memoize.ts";

/** A memoized function for two texts, and the calls that computed. */
function counting() {
  const made: string[] = [];
  const length = memoizeLast((text: string) => {
    made.push(text);
    if (text === "broken") throw new Error("broken");
    return { length: text.length };
  }, 2);
  return { made, length };
}

test("the same text has the same result, computed once", () => {
  const { made, length } = counting();
  expect(length("one")).toBe(length("one"));
  expect(length("three")).toEqual({ length: 5 });
  expect(length("one")).toEqual({ length: 3 });
  expect(made).toEqual(["one", "three"]);
});

test("beyond the capacity, the least recently used texts are computed again", () => {
  const { made, length } = counting();
  for (const text of ["one", "two", "one", "three", "one", "two"]) length(text);
  expect(made).toEqual(["one", "two", "three", "two"]);
});

test("a failure is not remembered", () => {
  const { made, length } = counting();
  for (const text of ["broken", "broken"]) expect(() => length(text)).toThrow("broken");
  expect(made).toEqual(["broken", "broken"]);
});
