import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_WALKED_DEPTH } from "../../src/json/json-walker.ts";
import type { Guide } from "../../src/json/walk-guide.ts";
import type { Scalar } from "../../src/json/walk-visitor.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { chunkSizes, chunksOf, decode, encode, SINGLE_BYTES, WHOLE } from "./chunks.ts";
import { eventsOf, everywhere, type Path, type WalkEvent } from "./walk-events.ts";
import { anyWrittenJson, bytesOf, expectedEvents } from "./written-json.ts";

const ALL = everywhere("all");
const FULL = everywhere("full", { scalars: "all", isReported: true });

/** The scalars of a parsed value, in order. */
function scalarsOf(value: unknown, path: Path = []): { path: Path; value: Scalar }[] {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return [{ path, value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => scalarsOf(item, [...path, index]));
  return Object.entries(value ?? {}).flatMap(([key, member]) => scalarsOf(member, [...path, key]));
}

const asScalars = (events: readonly WalkEvent[]): { path: Path; value: Scalar }[] =>
  events.flatMap((event) => (event.kind === "scalar" ? [{ path: event.path, value: event.value }] : []));

describe("a walk that reports everything", () => {
  test("reports the scalars of JSON.parse with their paths, in order", inBothLanes, () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())),
        fc.constantFrom(0, 1, 3),
        chunkSizes,
        (value, indent, sizes) => {
          const text = JSON.stringify(value, null, indent);
          const events = eventsOf(ALL, chunksOf(encode(text), sizes));
          expect(asScalars(events)).toStrictEqual(scalarsOf(JSON.parse(text)));
        },
      ),
      { numRuns: runs(500) },
    );
  });

  test("reports each token in any spelling, and each of two members with the same key", inBothLanes, () => {
    fc.assert(
      fc.property(anyWrittenJson, chunkSizes, (written, sizes) => {
        const events = eventsOf(FULL, chunksOf(bytesOf(written), sizes));
        expect(events).toStrictEqual(expectedEvents(written.met, FULL));
      }),
      { numRuns: runs(1_000) },
    );
  });

  test.each(["12", "-0.5e3", "true", "null", '"text"', " \n 7 \t", '"\\ud800"'])(
    "accepts a root that is no container: %j",
    (text) => {
      for (const sizes of [WHOLE, SINGLE_BYTES]) {
        expect(eventsOf(ALL, chunksOf(encode(text), sizes))).toEqual([]);
      }
    },
  );

  test("ignores empty chunks", () => {
    const chunks = ["", '{"a', "", "", '":"b', "", '", "c":1', "", "2}", ""].map(encode);
    expect(asScalars(eventsOf(ALL, chunks))).toEqual([
      { path: ["a"], value: "b" },
      { path: ["c"], value: 12 },
    ]);
  });
});

/** Alternates two guides, so that a wrong one would show. */
function guideWith(enters: { otherMembers: boolean; items: boolean }, scalars: "all" | "none"): Guide {
  const inner: { -readonly [Key in keyof Guide]: Guide[Key] } = { place: "inner", isReported: true };
  const outer: Guide = {
    place: "outer",
    members: new Map([
      ["in", inner],
      ["__proto__", inner],
      ["out", null],
      ["a", null],
    ]),
    ...(enters.otherMembers ? { otherMembers: inner } : {}),
    ...(enters.items ? { items: inner } : {}),
    ...(scalars === "all" ? { scalars } : {}),
  };
  inner.members = new Map([["in", outer]]);
  inner.scalars = "all";
  if (enters.otherMembers) inner.otherMembers = outer;
  if (enters.items) inner.items = outer;
  return outer;
}

describe("a walk with a guide", () => {
  const guide = fc
    .tuple(
      fc.record({ otherMembers: fc.boolean(), items: fc.boolean() }),
      fc.constantFrom("all" as const, "none" as const),
    )
    .map(([enters, scalars]) => guideWith(enters, scalars));

  test("enters what the guide names, skips everything else, and continues correctly", inBothLanes, () => {
    fc.assert(
      fc.property(anyWrittenJson, guide, chunkSizes, (written, root, sizes) => {
        const events = eventsOf(root, chunksOf(bytesOf(written), sizes));
        expect(events).toStrictEqual(expectedEvents(written.met, root));
      }),
      { numRuns: runs(1_000) },
    );
  });

  test("reports exactly the events of this example", () => {
    const inner: Guide = { place: "inner", isReported: true, scalars: "all" };
    const root: Guide = {
      place: "root",
      members: new Map([
        ["in", inner],
        ["out", null],
      ]),
      otherMembers: everywhere("other"),
    };
    const text = '{"in":{"x":1,"deep":{"y":2}},"out":{"z":3},"else":[4],"plain":5,"in":[6]}';
    expect(eventsOf(root, [encode(text)])).toEqual([
      { kind: "open", place: "inner", path: ["in"] },
      { kind: "scalar", place: "inner", path: ["in", "x"], value: 1 },
      { kind: "close", place: "inner", path: ["in"], length: 0 },
      { kind: "scalar", place: "other", path: ["else", 0], value: 4 },
      { kind: "open", place: "inner", path: ["in"] },
      { kind: "scalar", place: "inner", path: ["in", 0], value: 6 },
      { kind: "close", place: "inner", path: ["in"], length: 1 },
    ]);
  });
});

describe("depth", () => {
  /** Nested arrays and objects, then a number beside the outermost. */
  function nested(kinds: readonly boolean[]): Uint8Array {
    const opening = kinds.map((isArray) => (isArray ? "[" : '{"k":')).join("");
    const closing = kinds
      .map((isArray) => (isArray ? "]" : "}"))
      .reverse()
      .join("");
    return encode(`[${opening}1${closing},7]`);
  }

  const segments = (kinds: readonly boolean[]): Path => kinds.map((isArray) => (isArray ? 0 : "k"));

  test("everything is reported down to the limit; a deeper container is skipped", inBothLanes, () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(-1, 0, 1, 2), fc.integer({ min: -250, max: 400 })),
        fc.infiniteStream(fc.boolean()),
        chunkSizes,
        (beyond, stream, sizes) => {
          // The outermost array counts as a container.
          const kinds = [...stream.take(MAX_WALKED_DEPTH - 1 + beyond)];
          const deepest: WalkEvent =
            beyond <= 0
              ? { kind: "scalar", place: "all", path: [0, ...segments(kinds)], value: 1 }
              : {
                  kind: "onSkipped",
                  place: "all",
                  path: [0, ...segments(kinds).slice(0, MAX_WALKED_DEPTH - 1)],
                };
          const after: WalkEvent = { kind: "scalar", place: "all", path: [1], value: 7 };
          expect(eventsOf(ALL, chunksOf(nested(kinds), sizes))).toStrictEqual([deepest, after]);
        },
      ),
      { numRuns: runs(150) },
    );
  });
});

describe("invalid UTF-8", () => {
  const brokenCharacter = fc.oneof(
    fc.integer({ min: 0x80, max: 0xff }).map((byte) => [byte]),
    fc.constantFrom([0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xef, 0xbb, 0xbf]),
    fc.constantFrom("a", "\\n", '\\"', "\\\\", "\\u00e9", "{", ",").map((text) => [...encode(text)]),
  );
  const brokenString = fc
    .array(brokenCharacter, { maxLength: 12 })
    .map((characters) => [0x22, ...characters.flat(), 0x22]);

  test("is read as the replacement character, and the walk continues correctly", inBothLanes, () => {
    fc.assert(
      fc.property(brokenString, brokenString, chunkSizes, (key, value, sizes) => {
        const bytes = new Uint8Array([
          ...encode("[{"),
          ...key,
          ...encode(":["),
          ...value,
          ...encode(",1]},"),
          ...value,
          ...encode("]"),
        ]);
        const events = eventsOf(ALL, chunksOf(bytes, sizes));
        expect(asScalars(events)).toStrictEqual(scalarsOf(JSON.parse(decode(bytes))));
      }),
      { numRuns: runs(1_000) },
    );
  });
});
