/** A series as one line of text. */
import { expect, test } from "vitest";
import { sparklineOf } from "../../src/features/sparkline.ts";

test("has a mark for each number, the lowest for nothing alone, and says its range", () => {
  expect(sparklineOf([0, 1, 500, 1_000], "failures", "day")).toBe("▁▂▅█ 0 to 1,000 failures by day");
});

test("of more numbers than marks shows the highest of neighbours", () => {
  const numbers = Array.from({ length: 168 }, (_one, index) => (index === 100 ? 7 : 0));
  const line = sparklineOf(numbers, "failures", "hour") ?? "";
  expect(line).toMatch(/^▁{25}█▁{16} 0 to 7 failures by hour; each mark is the highest of 4$/);
});

test("of nothing, or of one number, is none", () => {
  for (const numbers of [[], [5], [0, 0, 0]]) expect(sparklineOf(numbers, "failures", "day")).toBeUndefined();
});
