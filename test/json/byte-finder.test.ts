import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteFinder, mayContain } from "../../src/json/byte-finder.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** As Python's json.dumps writes: everything outside ASCII is escaped. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

describe("finding an id in bytes", () => {
  test("never misses it, in any spelling, nesting and chunking", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", minLength: 1, maxLength: 30 }).filter((text) => text.isWellFormed()),
        fc.string({ maxLength: 300 }),
        fc.integer({ min: 1, max: 50 }),
        (id, padding, size) => {
          const spellings = [
            JSON.stringify({ padding, id }),
            asciiJson({ padding, id }),
            JSON.stringify({ padding, payload: JSON.stringify({ id }) }),
            JSON.stringify({ padding, payload: asciiJson({ id }) }),
          ];
          for (const text of spellings) {
            const finder = new ByteFinder(id);
            const bytes = encode(text);
            for (let at = 0; at < bytes.length; at += size) finder.write(bytes.subarray(at, at + size));
            expect(finder.found).toBe(true);
          }
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test("finds exactly what includes() finds, for ids without anything to escape", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[ab-]{1,6}$/),
        fc.stringMatching(/^[ab-]{0,80}$/),
        fc.integer({ min: 1, max: 12 }),
        (id, text, size) => {
          const finder = new ByteFinder(id);
          const bytes = encode(text);
          for (let at = 0; at < bytes.length; at += size) finder.write(bytes.subarray(at, at + size));
          expect(finder.found).toBe(text.includes(id));
          expect(mayContain(bytes, id)).toBe(text.includes(id));
        },
      ),
      { numRuns: 5_000 },
    );
  });

  test("a needle longer than a byte can count", () => {
    const id = "x".repeat(300) + "y".repeat(300);
    expect(mayContain(encode(`${"x".repeat(900)}${"y".repeat(300)}`), id)).toBe(true);
    expect(mayContain(encode(`${"x".repeat(299)}${"y".repeat(300)}`), id)).toBe(false);
  });
});
