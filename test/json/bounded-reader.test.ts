import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Ancestor,
  BoundedReader,
  plansOf,
  type ReadBounds,
  type ReadPlan,
  readBounded,
  throughout,
  UNBOUNDED,
  WHOLE,
} from "../../src/json/bounded-reader.ts";
import { JsonReadError } from "../../src/json/errors.ts";
import { memberOf } from "../../src/json/members.ts";
import {
  containsOmitted,
  itemsOf,
  OMITTED_MEMBERS,
  Omitted,
  type ReadValue,
} from "../../src/json/omitted.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { type ChunkSizes, chunkSizes, chunksOf, encode } from "./chunks.ts";

function readInChunks(bytes: Uint8Array, sizes: ChunkSizes, bounds: ReadBounds = UNBOUNDED): ReadValue {
  const reader = new BoundedReader(bounds);
  for (const chunk of chunksOf(bytes, sizes)) reader.write(chunk);
  return reader.end();
}

describe("without bounds the reader equals JSON.parse", () => {
  test("for any value, chunking and white space", inBothLanes, () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ depthSize: "large" }),
        chunkSizes,
        fc.constantFrom(0, 1, 3),
        (value, sizes, indent) => {
          const text = JSON.stringify(value, null, indent);
          expect(readInChunks(encode(text), sizes)).toStrictEqual(JSON.parse(text));
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  test.each([
    ["escapes", '"\\u0041\\n\\"\\\\\\/\\ud83d\\ude00"'],
    ["a lone surrogate", '"\\ud800"'],
    ["a byte order mark in a string", '"\ufeffx"'],
    ["numbers", "[0,-0,1e5,-1.25E-3,123456789012345680000]"],
    ["literals", "[true,false,null]"],
    ["duplicate keys: the last wins", '{"a":1,"a":2}'],
    ["a key that is no ordinary property", '{"__proto__":{"x":1}}'],
    ["empty containers", '{"a":[],"b":{},"c":[[],{}]}'],
    ["a bare value with space around", " \n\t\r 12 "],
  ])("%s", (_name, text) => {
    expect(readInChunks(encode(text), [1])).toStrictEqual(JSON.parse(text));
    expect(readBounded(encode(text), UNBOUNDED)).toStrictEqual(JSON.parse(text));
  });

  test("invalid UTF-8 is read as the replacement character", () => {
    const bytes = new Uint8Array([0x22, 0x61, 0xff, 0x62, 0x22]);
    expect(readBounded(bytes, UNBOUNDED)).toBe("a\ufffdb");
  });
});

describe("malformed JSON is refused:", () => {
  test.each([
    "",
    " ",
    "{",
    "[1",
    '"abc',
    "[1,]x",
    "{]",
    "[}",
    '{"a"}',
    '{"a":}',
    "{1:2}",
    "tru",
    "01",
    "1.",
    "-",
    '"\\x"',
    '"\\u12"',
    '"a\nb"',
    "[1] 2",
    "nul l",
    ",",
  ])("%j", (text) => {
    expect(() => readInChunks(encode(text), [1])).toThrow(JsonReadError);
  });

  test("every truncated document is refused", () => {
    const whole = encode('{"a":[1,"zwei",{"b":null}],"c":true}');
    for (let length = 0; length < whole.length; length += 1) {
      expect(() => readBounded(whole.subarray(0, length), UNBOUNDED)).toThrow(JsonReadError);
    }
  });
});

describe("within bounds", () => {
  test("arrays keep their first items and state their length", () => {
    const value = readInChunks(
      encode(JSON.stringify(Array.from({ length: 1_000 }, (_, i) => ({ i, t: '],["{' })))),
      [7],
      { ...UNBOUNDED, maxArrayItems: 3 },
    );
    if (!Array.isArray(value)) throw new Error("not an array");
    expect(value.slice(0, 3)).toEqual([0, 1, 2].map((i) => ({ i, t: '],["{' })));
    expect(value[3]).toMatchObject({ kind: "items", length: 1_000, count: 997 });
    expect(itemsOf(value)).toMatchObject({ length: 1_000 });
  });

  test("a range of items is read from an array", inBothLanes, () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 20 }),
        fc.nat(25),
        fc.integer({ min: 1, max: 10 }),
        chunkSizes,
        (items, from, count, sizes) => {
          const bounds: ReadBounds = { ...UNBOUNDED, plan: { ...WHOLE, from, to: from + count } };
          const value = readInChunks(encode(JSON.stringify(items)), sizes, bounds);
          if (!Array.isArray(value)) throw new Error("not an array");
          const read = itemsOf(value);
          expect(read.length).toBe(items.length);
          expect(read.items).toStrictEqual(JSON.parse(JSON.stringify(items.slice(from, from + count))));
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  test("an object keeps its first members and states their number, in any chunking", inBothLanes, () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, maxKeys: 20 }),
        fc.integer({ min: 1, max: 25 }),
        chunkSizes,
        (wide, maxMembers, sizes) => {
          fc.pre(!Object.hasOwn(wide, OMITTED_MEMBERS));
          const bounds: ReadBounds = {
            ...UNBOUNDED,
            plan: { members: plansOf({ wide: { ...WHOLE, maxMembers } }) },
          };
          const value = readInChunks(encode(JSON.stringify({ wide, after: 1 })), sizes, bounds);
          const all = Object.entries(wide);
          const left = all.length - maxMembers;
          const mark =
            left > 0
              ? { [OMITTED_MEMBERS]: expect.objectContaining({ length: all.length, count: left }) }
              : {};
          const kept = JSON.parse(JSON.stringify(Object.fromEntries(all.slice(0, maxMembers))));
          expect(value).toEqual({ wide: { ...kept, ...mark }, after: 1 });
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  test("texts are shorter only in and below a part with its own limit", () => {
    const bounds: ReadBounds = {
      ...UNBOUNDED,
      plan: { ...WHOLE, members: plansOf({ short: throughout({ maxStringBytes: 12 }) }) },
    };
    const text = "some plain words";
    const value = { before: text, short: { a: text, b: [{ c: text, d: "" }] }, after: [text] };
    const cut = expect.stringMatching(/^some.{0,8}… \[\d+ more bytes\]$/);
    expect(readInChunks(encode(JSON.stringify(value)), [5], bounds)).toEqual({
      before: text,
      short: { a: cut, b: [{ c: cut, d: "" }] },
      after: [text],
    });
  });

  test("a choice is given the container's path, and unusual keys do not match the plan", () => {
    const seen: unknown[] = [];
    const choice = (ancestor: Ancestor): ReadPlan | null => {
      seen.push([2, 1, 0].map(ancestor));
      return ancestor(1) === 1 ? {} : null;
    };
    const bounds: ReadBounds = {
      ...UNBOUNDED,
      plan: { otherMembers: { items: { members: plansOf({ a: choice }) } } },
    };
    const text = '{"list":[{"a":[1]},{"a":[2],"constructor":{"b":1},"__proto__":{"c":1}}]}';
    expect(JSON.stringify(readBounded(encode(text), bounds))).toBe(
      `{"list":[{"a":["… 1 more item left out (3 bytes)"]},{"a":[2],"constructor":"… 1 more member left out (7 bytes)","__proto__":"… 1 more member left out (7 bytes)"}]}`,
    );
    expect(seen).toEqual([
      ["list", 0, "a"],
      ["list", 1, "a"],
    ]);
  });

  test(
    "a container that is only counted has the right length and size, and the rest is read",
    inBothLanes,
    () => {
      fc.assert(
        fc.property(
          fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())),
          chunkSizes,
          (skipped, sizes) => {
            const text = JSON.stringify({ skipped, after: 1 });
            const bounds: ReadBounds = { ...UNBOUNDED, plan: { members: plansOf({ skipped: null }) } };
            const value = readInChunks(encode(text), sizes, bounds);
            const length = Object.keys(skipped).length;
            const bytes = encode(JSON.stringify(skipped)).length;
            const isArray = Array.isArray(skipped);
            const mark = new Omitted(isArray ? "items" : "members", length, length, bytes);
            const counted = isArray ? [mark] : mark;
            const empty = isArray ? [] : {};
            expect(value).toStrictEqual({ skipped: length === 0 ? empty : counted, after: 1 });
          },
        ),
        { numRuns: runs(1_000) },
      );
    },
  );

  test("a long string keeps its beginning, cut between characters", inBothLanes, () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 30 }),
        chunkSizes,
        (text, limit, sizes) => {
          // The replacement character would look like a cut one.
          fc.pre(!text.includes("\ufffd"));
          const value = readInChunks(encode(JSON.stringify(text)), sizes, {
            ...UNBOUNDED,
            maxStringBytes: limit,
          });
          if (typeof value !== "string") throw new Error("not a string");
          const [kept = ""] = value.split("… [");
          expect(text.startsWith(kept) || value === text).toBe(true);
          expect(value).not.toMatch(/\ufffd/);
          const raw = encode(JSON.stringify(text)).length - 2;
          if (raw > limit) expect(value).toContain(` more bytes]`);
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  test("the rest is marked after the maximum number of values", () => {
    const value = readBounded(encode('{"a":1,"b":2,"c":[1,2,3],"d":"x"}'), { ...UNBOUNDED, maxValues: 3 });
    expect(value).toMatchObject({ a: 1, b: 2, "…": { kind: "members", length: 4, count: 2 } });
  });

  test.each([
    ["a number", "12", 2],
    ["a text", '"zwölf"', 8],
    ["a literal", "null", 4],
    ["an object", '{"c":3}', 7],
  ])("the size of an omitted part counts key and value: %s", (_name, written, size) => {
    const bounds: ReadBounds = { ...UNBOUNDED, maxValues: 2 };
    for (const sizes of [[1], [100]]) {
      const members = readInChunks(encode(`{"a":1, "key" : ${written} }`), sizes, bounds);
      const mark = new Omitted("members", 2, 1, '"key" : '.length + size);
      expect(members).toStrictEqual({ a: 1, [OMITTED_MEMBERS]: mark });
      const items = readInChunks(encode(`[1, ${written} ]`), sizes, bounds);
      expect(items).toStrictEqual([1, new Omitted("items", 2, 1, size)]);
    }
  });

  test.each([4_096, 4_097, 70_000, 1_100_000])("a key of %d bytes keeps its first 4,096", (length) => {
    const bytes = encode(`{"${"k ".repeat(length / 2 + 1).slice(0, length)}":1,"b":2}`);
    for (const size of [1_000, 4_098, bytes.length]) {
      const value = readInChunks(bytes, [size]);
      const [long = "", ...others] = Object.keys(value ?? {});
      expect(others).toEqual(["b"]);
      expect(long.startsWith("k ".repeat(2_000))).toBe(true);
      if (length <= 4_096) expect(long).toHaveLength(length);
      else expect(long).toMatch(new RegExp(`^.{4090,4096}… \\[${length - 4_096} more bytes\\]$`));
    }
  });

  test("depth is limited", () => {
    const value = readBounded(encode("[[[[[[1]]]]]]"), { ...UNBOUNDED, maxDepth: 2 });
    expect(value).toStrictEqual([[[new Omitted("items", 1, 1, 9)]]]);
  });

  test("anything below the walker's depth is marked, whatever the bounds", () => {
    const bounds = { ...UNBOUNDED, maxDepth: 1_000 };
    const value = readBounded(encode(`{"a":${"[".repeat(300)}1${"]".repeat(300)},"b":2}`), bounds);
    expect(value).toMatchObject({ b: 2 });
    expect(JSON.stringify(value)).toContain(`${"[".repeat(255)}"… 1 more item left out (`);
    expect(containsOmitted(value)).toBe(true);
  });

  test("the total length of strings is limited", () => {
    const value = readBounded(encode(JSON.stringify(["a".repeat(10), "b".repeat(10)])), {
      ...UNBOUNDED,
      maxKeptBytes: 12,
    });
    expect(value).toStrictEqual(["a".repeat(10), "… [10 more bytes]"]);
  });

  test("payload leaves room for other members, and long texts for short ones, in any chunking", () => {
    const names = Array.from({ length: 20 }, (_name, index) => `a name ${index}`.padEnd(20, "."));
    const texts = ["first ".repeat(200), "second ".repeat(200)];
    const plan: ReadPlan = { members: plansOf({ payload: { isPayload: true } }), otherMembers: {} };
    const bounds: ReadBounds = { ...UNBOUNDED, maxKeptBytes: 2_000, plan };
    const json = JSON.stringify({ payload: [...texts, ...names], nodes: names, last: "x".repeat(200) });
    const cut = "… [20 more bytes]";
    for (const size of [1, 50, 10_000]) {
      const value = readInChunks(encode(json), [size], bounds);
      // Three quarters are for long texts, an eighth for twelve short ones and a part of another, the rest for others.
      expect(memberOf(value, "payload", 0)).toBe(texts[0]);
      expect(memberOf(value, "payload", 1)).toMatch(/^second .*… \[\d+ more bytes\]$/);
      expect(memberOf(value, "payload", 13)).toBe(names[11]);
      expect(memberOf(value, "payload", 15)).toBe(cut);
      expect(memberOf(value, "nodes", 11)).toBe(names[11]);
      expect(memberOf(value, "nodes", 19)).toBe(cut);
      expect(memberOf(value, "last")).toBe("… [200 more bytes]");
    }
  });

  test("without payload all of the room may be used by long strings", () => {
    const value = readBounded(encode(JSON.stringify(["a".repeat(1_900)])), {
      ...UNBOUNDED,
      maxKeptBytes: 2_000,
    });
    expect(value).toStrictEqual(["a".repeat(1_900)]);
  });

  test("malformed bytes never hang and are never accepted with a wrong value", inBothLanes, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), chunkSizes, (bytes, sizes) => {
        try {
          const value = readInChunks(bytes, sizes);
          expect(value).toStrictEqual(
            JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true, fatal: false }).decode(bytes)),
          );
        } catch (error) {
          expect(error).toBeInstanceOf(JsonReadError);
        }
      }),
      { numRuns: runs(3_000) },
    );
  });
});
