import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonReadError } from "../../src/json/errors.ts";
import { KeyTable, type WalkedKey } from "../../src/json/key-table.ts";
import { encode } from "./chunks.ts";
import { anyString, oddKeys } from "./written-json.ts";

/** Looks a key up that is written in these quotes, somewhere in a buffer. */
function lookUp(table: KeyTable, written: string, before = ""): WalkedKey {
  const start = encode(before).length + 1;
  return table.lookUp(encode(before + written), start, start + encode(written).length - 2);
}

const isVowel = (key: string): boolean => /^[aeiou_]/.test(key);

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `"key ${index}"`);

describe("looking up keys", () => {
  test("gives the text that JSON.parse gives, and whether it is wanted, however often and wherever it stands", () => {
    const keys = fc.array(fc.oneof(oddKeys, anyString), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(keys, fc.string({ maxLength: 5 }), (written, before) => {
        const table = new KeyTable(isVowel);
        for (const key of [...written, ...written]) {
          const text: unknown = JSON.parse(key);
          expect(lookUp(table, key, before)).toMatchObject({ text, isWanted: isVowel(String(text)) });
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("never takes a key for another that shares its slot", () => {
    const table = new KeyTable((key) => key.endsWith("7"));
    // Far more than there are slots, and each after one that may have taken its slot.
    const keys = numbered(20_000);
    for (const [index, key] of keys.entries()) {
      const earlier = keys[(index * 7_919) % (index + 1)] ?? key;
      for (const each of [key, earlier, key]) {
        const text = each.slice(1, -1);
        const known = lookUp(table, each);
        if (known.text !== text || known.isWanted !== text.endsWith("7")) expect(known.text).toBe(text);
      }
    }
  });

  test("asks once for a key that comes again and again, and each time for a long one", () => {
    const asked: string[] = [];
    const table = new KeyTable((key) => asked.push(key) > 0);
    const short = "s".repeat(128);
    const long = "l".repeat(129);
    for (let turn = 0; turn < 3; turn += 1) {
      lookUp(table, `"${short}"`);
      lookUp(table, `"${long}"`);
    }
    expect(asked).toEqual([short, long, long, long]);
  });

  test("keeps a bounded number of keys", () => {
    let asked = 0;
    const table = new KeyTable(() => {
      asked += 1;
      return false;
    });
    const keys = numbered(30_000);
    for (const key of keys) lookUp(table, key);
    expect(asked).toBe(keys.length);
    for (const key of keys) lookUp(table, key);
    // What is not asked for again was kept.
    expect(2 * keys.length - asked).toBeLessThanOrEqual(2_048);
  });

  test("knows a key after the bytes in which it first stood were used for something else", () => {
    const table = new KeyTable(isVowel);
    const buffer = encode('"Aa"');
    expect(table.lookUp(buffer, 1, 3).text).toBe("Aa");
    // These two share a slot.
    buffer.set(encode("BB"), 1);
    expect(table.lookUp(buffer, 1, 3).text).toBe("BB");
  });

  test("refuses a key with a wrong escape", () => {
    expect(() => lookUp(new KeyTable(isVowel), '"\\x"')).toThrow(JsonReadError);
  });
});
