import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteFinder } from "../../src/json/byte-finder.ts";
import { encode } from "./chunks.ts";
import { JSON_WRITERS, jsonWriter } from "./json-writers.ts";

const mayContain = (bytes: Uint8Array, text: string): boolean => new ByteFinder(text).write(bytes);

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

/** Where the first of these begins, from the offset on; infinity when none does. */
function firstOf(spellings: readonly string[], bytes: Uint8Array, from: number): number {
  const buffer = Buffer.from(bytes);
  const found = spellings.map((spelling) => buffer.indexOf(spelling, from)).filter((at) => at !== -1);
  return Math.min(Number.POSITIVE_INFINITY, ...found);
}

const anyText = fc.string({ unit: "binary", minLength: 1, maxLength: 12 });
const padding = fc.string({ unit: "binary", maxLength: 80 });

describe("where a text may stand first", () => {
  test("is never behind the text, whoever wrote it, also as JSON in a string", () => {
    fc.assert(
      fc.property(
        anyText,
        padding,
        padding,
        jsonWriter,
        jsonWriter,
        fc.nat(),
        (text, before, after, inner, outer, from) => {
          const payload = `{"k":${inner(text)}}`;
          for (const value of [text, payload]) {
            const head = encode(`[${outer(before)},`);
            const bytes = encode(`[${outer(before)},${outer(value)},${outer(after)}]`);
            const end = head.length + encode(outer(value)).length;
            const at = new ByteFinder(text).indexIn(bytes, from % (head.length + 1));
            expect(at).toBeGreaterThanOrEqual(from % (head.length + 1));
            expect(at).toBeLessThan(end);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test.each(Object.entries(JSON_WRITERS))(
    "holds for each sign of ASCII and a few more, from %s",
    (_name, write) => {
      const signs = [
        ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
        "é",
        "日",
        "😀",
        "\u2028",
      ];
      for (const sign of signs) {
        for (const text of [sign, `a${sign}`, `${sign}${sign}${sign}a`]) {
          expect(mayContain(encode(write(text)), text), text).toBe(true);
          expect(mayContain(encode(JSON.stringify(write(text))), text), text).toBe(true);
        }
      }
    },
  );

  test("is the first place of a text that is spelled in one way only, after each offset", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[ab-]{1,5}$/),
        fc.stringMatching(/^[ab"-]{0,900}$/),
        (text, content) => {
          const bytes = encode(content);
          const finder = new ByteFinder(text);
          for (let from = 0; from <= bytes.length + 1; from += 7) {
            expect(finder.indexIn(bytes, from)).toBe(firstOf([text], bytes, from));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each([
    ["é", ["é", "u00e9", "u00E9"]],
    ["日", ["日", "u65e5", "u65E5"]],
    ['"', ['"', '\\"', "u0022"]],
    ["/", ["/", "u002f", "u002F"]],
    ["\n", ["\n", "\\n", "u000a", "u000A"]],
    ["😀", ["😀", "ud83d", "uD83D"]],
  ])("is the first of all spellings of %j, however far they are apart", (text, spellings) => {
    const gap = fc.oneof(fc.nat(5), fc.integer({ min: 240, max: 270 }), fc.nat(3_000));
    const part = fc.tuple(gap, fc.constantFrom(...spellings, "u00", "\\"));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.nat(600), (parts, from) => {
        const bytes = encode(parts.map(([length, spelling]) => "x".repeat(length) + spelling).join(""));
        expect(new ByteFinder(text).indexIn(bytes, from)).toBe(firstOf(spellings, bytes, from));
      }),
      { numRuns: 300 },
    );
  });

  test("does not depend on what was written before", () => {
    const finder = new ByteFinder("needle");
    finder.write(encode("a needle and a nee"));
    expect(finder.indexIn(encode("dle, a needle"), 0)).toBe(7);
    expect(finder.indexIn(encode("dle"), 0)).toBe(Number.POSITIVE_INFINITY);
    expect(finder.indexIn(encode(""), 0)).toBe(Number.POSITIVE_INFINITY);
  });
});
