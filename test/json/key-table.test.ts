import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonReadError } from "../../src/json/errors.ts";
import { KeyTable, type WalkedKey } from "../../src/json/key-table.ts";
import { encode } from "./chunks.ts";
import { anyString, oddKeys } from "./written-json.ts";

/** Looks up a quoted key somewhere in a buffer. */
function lookUp(table: KeyTable, written: string, before = ""): WalkedKey {
  const start = encode(before).length + 1;
  return table.lookUp(encode(before + written), start, start + encode(written).length - 2);
}

const isVowel = (key: string): boolean => /^[aeiou_]/.test(key);

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `"key ${index}"`);

describe("a key table", () => {
  test("gives the text that JSON.parse gives and whether it is wanted, at any position", () => {
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

  test("never confuses keys that share a slot", () => {
    const table = new KeyTable((key) => key.endsWith("7"));
    // Far more keys than slots, each followed by one that may have taken its slot.
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

  test("asks once about a repeated short key, and each time about a long one", () => {
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

  test("stores a limited number of keys", () => {
    let asked = 0;
    const table = new KeyTable(() => {
      asked += 1;
      return false;
    });
    const keys = numbered(30_000);
    for (const key of keys) lookUp(table, key);
    expect(asked).toBe(keys.length);
    for (const key of keys) lookUp(table, key);
    // Keys that are not asked about again were stored.
    expect(2 * keys.length - asked).toBeLessThanOrEqual(2_048);
  });

  test("recognizes a key after its bytes were overwritten", () => {
    const table = new KeyTable(isVowel);
    const buffer = encode('"Aa"');
    expect(table.lookUp(buffer, 1, 3).text).toBe("Aa");
    // Both keys share a slot.
    buffer.set(encode("BB"), 1);
    expect(table.lookUp(buffer, 1, 3).text).toBe("BB");
  });

  test("refuses a key with an invalid escape", () => {
    expect(() => lookUp(new KeyTable(isVowel), '"\\x"')).toThrow(JsonReadError);
  });
});
