import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FIRST_PAGE_SIZE, MAX_PAGE_SIZE, PageSize } from "../../../src/history/reading/page-size.ts";

const MB = 1024 * 1024;

/** The size requested after each of these pages. */
function sizesAfter(...pages: readonly { readonly executions: number; readonly bytes: number }[]): number[] {
  const size = new PageSize();
  return pages.map(({ executions, bytes }) => {
    size.note(executions, bytes);
    return size.current;
  });
}

describe("the size of a page", () => {
  test("starts at 100 and becomes the maximum while executions are small", () => {
    expect(new PageSize().current).toBe(FIRST_PAGE_SIZE);
    expect(sizesAfter({ executions: 100, bytes: 3 * MB }, { executions: 7, bytes: 1 })).toEqual([250, 250]);
  });

  test("drops at once to what makes about 8 MB", () => {
    expect(sizesAfter({ executions: 100, bytes: 80 * MB })).toEqual([10]);
  });

  test("is 1 for executions larger than a page should be", () => {
    expect(sizesAfter({ executions: 2, bytes: 200 * MB })).toEqual([1]);
  });

  test("grows by at most two and a half times, since the next executions may be larger", () => {
    const small = { executions: 10, bytes: 1_000 };
    expect(sizesAfter({ executions: 100, bytes: 80 * MB }, small, small, small, small, small)).toEqual([
      10, 25, 63, 158, 250, 250,
    ]);
  });

  test("is unchanged by an empty page", () => {
    expect(sizesAfter({ executions: 100, bytes: 80 * MB }, { executions: 0, bytes: 30 })).toEqual([10, 10]);
  });

  test("halves after a failure, down to 1", () => {
    const size = new PageSize();
    const halves = Array.from({ length: 8 }, () => {
      size.halve();
      return size.current;
    });
    expect(halves).toEqual([50, 25, 12, 6, 3, 1, 1, 1]);
    size.note(1, 100);
    expect(size.current).toBe(3);
  });

  test("stays small for a search while others call, and is the usual one otherwise", () => {
    const thread = { isShared: true };
    const size = new PageSize({ thread });
    expect(size.current).toBe(25);
    size.note(25, 25_000);
    expect(size.current).toBe(25);
    size.note(25, MB);
    expect(size.current).toBe(12);
    size.halve();
    expect(size.current).toBe(6);
    size.note(1, 100 * MB);
    expect(size.current).toBe(1);
    thread.isShared = false;
    size.note(25, 25_000);
    expect(size.current).toBeGreaterThan(1);
  });

  test("is always a whole number from 1 to the maximum", () => {
    const page = fc.record({ executions: fc.nat(250), bytes: fc.nat(400 * MB) });
    fc.assert(
      fc.property(fc.array(fc.option(page)), (happenings) => {
        const size = new PageSize();
        for (const happening of happenings) {
          const before = size.current;
          if (happening === null) size.halve();
          else size.note(happening.executions, happening.bytes);
          expect(Number.isInteger(size.current)).toBe(true);
          expect(size.current).toBeGreaterThanOrEqual(1);
          expect(size.current).toBeLessThanOrEqual(Math.min(MAX_PAGE_SIZE, Math.ceil(before * 2.5)));
        }
      }),
    );
  });

  test("makes a page of similar executions about 8 MB at most", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 250 }),
        fc.integer({ min: 1, max: 8 * MB }),
        (executions, each) => {
          const size = new PageSize();
          size.note(executions, executions * each);
          expect(size.current * each).toBeLessThanOrEqual(8 * MB);
        },
      ),
    );
  });
});
