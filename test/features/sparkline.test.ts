/** A series of numbers as one line of text. */
import { expect, test } from "vitest";
import { sparklineOf } from "../../src/features/sparkline.ts";

test("has a mark per number, the lowest one only for zero, and names its range", () => {
  expect(sparklineOf([0, 1, 500, 1_000], "failures", "day")).toBe("▁▂▅█ 0 to 1,000 failures by day");
});

test("shows the highest of neighbouring numbers if there are more than marks", () => {
  const numbers = Array.from({ length: 168 }, (_one, index) => (index === 100 ? 7 : 0));
  const line = sparklineOf(numbers, "failures", "hour") ?? "";
  expect(line).toMatch(/^▁{25}█▁{16} 0 to 7 failures by hour; each mark is the highest of 4$/);
});

test("is omitted for no number, for one, or for zeros", () => {
  for (const numbers of [[], [5], [0, 0, 0]]) expect(sparklineOf(numbers, "failures", "day")).toBeUndefined();
});
