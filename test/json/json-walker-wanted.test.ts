/** The values that a `wanted` guide reports, and gathered containers. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_WALKED_STRING_BYTES } from "../../src/json/walk-frame.ts";
import type { Guide } from "../../src/json/walk-guide.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { type ChunkSizes, chunkSizes, chunksOf, encode, SINGLE_BYTES, WHOLE } from "./chunks.ts";
import { jsonWriter } from "./json-writers.ts";
import { eventsOf, everywhere, type Path, type WalkEvent, type Wanted } from "./walk-events.ts";
import { anyWrittenJson, bytesOf, type Met, type Written, writtenJson } from "./written-json.ts";

const WANTED = everywhere("any", { scalars: "wanted" });

type MetScalar = Extract<Met, { kind: "scalar" }>;
type ScalarEvent = Extract<WalkEvent, { kind: "scalar" }>;

const isScalar = <Item extends { kind: string }>(item: Item): item is Extract<Item, { kind: "scalar" }> =>
  item.kind === "scalar";

const scalarsIn = ({ met }: Written): MetScalar[] => met.filter(isScalar);

const isUnderKey = (path: Path, keys: ReadonlySet<string>): boolean => {
  const last = path.findLast((segment) => typeof segment === "string");
  return typeof last === "string" && keys.has(last);
};

const looksLikeJson = (value: unknown): boolean => typeof value === "string" && /^[ \t\r\n]*[{[]/.test(value);

const keyText = fc.constantFrom("id", "a", "", "__proto__", "requestId");
const wantedKeys = fc.uniqueArray(keyText, { maxLength: 3 }).map((keys) => new Set(keys));

/** Strings, some of which contain JSON as different programs write it. */
function someStrings(): fc.Arbitrary<string> {
  const plain = fc.oneof(fc.string(), fc.constantFrom(" \n{}", "\t[1]", "x{", ""));
  const inJson = fc
    .tuple(jsonWriter, plain, fc.constantFrom("", " ", "\r\n"))
    .map(([write, value, gap]) => `${gap}{"k":${write(value)}}`);
  const inJsonTwice = fc.tuple(jsonWriter, inJson).map(([write, value]) => `[${write(value)}]`);
  return fc.tuple(jsonWriter, fc.oneof(plain, inJson, inJsonTwice)).map(([write, value]) => write(value));
}

const someDocument: fc.Arbitrary<Written> = writtenJson({
  keys: keyText.map((key) => JSON.stringify(key)),
  strings: someStrings(),
});

const scalarEvents = (written: Written, sizes: readonly number[], wanted: Wanted): ScalarEvent[] =>
  eventsOf(WANTED, chunksOf(bytesOf(written), sizes), wanted).filter(isScalar);

describe("a walk that looks for keys", () => {
  test("reports their values and JSON in strings, and nothing else", inBothLanes, () => {
    fc.assert(
      fc.property(someDocument, wantedKeys, chunkSizes, (written, keys, sizes) => {
        const expected = scalarsIn(written)
          .filter(({ path, value }) => isUnderKey(path, keys) || looksLikeJson(value))
          .map(({ path, value }) => ({ kind: "scalar", place: "any", path, value }));
        expect(scalarEvents(written, sizes, { keys })).toStrictEqual(expected);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

describe("a gathered container", () => {
  const INSIDE = everywhere("inside");
  const GATHERED: Guide = {
    place: "outer",
    scalars: "all",
    members: new Map([["in", { ...INSIDE, place: "gathered", isGathered: true }]]),
  };

  const isGathered = (event: WalkEvent): boolean => event.kind === "gathered";

  test(
    "is delivered as bytes when it ends, beside all its other events, in any chunking",
    inBothLanes,
    () => {
      fc.assert(
        fc.property(anyWrittenJson, anyWrittenJson, chunkSizes, (written, other, sizes) => {
          const json = /^\s*[[{]/.test(written.text) ? written.text.trim() : `[${written.text}]`;
          const bytes = encode(`{"before":[${other.text}],"in":${json},"after":1,"in":{}}`);
          const events = eventsOf(GATHERED, chunksOf(bytes, sizes), { room: bytes.length });
          expect(events.filter(isGathered)).toEqual([
            { kind: "gathered", place: "gathered", path: ["in"], json },
            { kind: "gathered", place: "gathered", path: ["in"], json: "{}" },
          ]);
          const { isGathered: _isGathered, ...plain } = { ...INSIDE, place: "gathered", isGathered: true };
          const without = eventsOf({ ...GATHERED, members: new Map([["in", plain]]) }, [bytes]);
          expect(events.filter((event) => !isGathered(event))).toStrictEqual(without);
        }),
        { numRuns: runs(1_000) },
      );
    },
  );

  test("is omitted if it exceeds its room by a single byte, in any chunking", () => {
    const json = `{"a":"${"x".repeat(50)}","b":[1,{"c":2}]}`;
    const gathered = (room: number, sizes: ChunkSizes): WalkEvent[] =>
      eventsOf(GATHERED, chunksOf(encode(`{"in":${json}}`), sizes), { room }).filter(isGathered);
    fc.assert(
      fc.property(fc.integer({ min: -1, max: json.length + 3 }), chunkSizes, (room, sizes) => {
        const expected = room >= json.length ? json : null;
        expect(gathered(room, sizes)).toEqual([
          { kind: "gathered", place: "gathered", path: ["in"], json: expected },
        ]);
      }),
    );
  });

  test("may contain strings too long to be walked, in any chunking", () => {
    const json = `{"long":"${"\\n ".repeat(MAX_WALKED_STRING_BYTES / 2)}","b":1}`;
    const bytes = encode(`{"x":1,"in":${json},"y":2}`);
    for (const size of [WHOLE, [65_537], [1_000_003]]) {
      const [event] = eventsOf(GATHERED, chunksOf(bytes, size), { room: bytes.length }).filter(isGathered);
      expect(event?.kind === "gathered" && event.json === json).toBe(true);
    }
  });

  test("is omitted when broken, and its bytes do not mix with the next one", () => {
    const list: Guide = { place: "list", items: { ...GATHERED, isIsolated: true } };
    const bytes = encode('[{"in":{"a":wrong}},{"in":{"b":2}}]');
    for (const sizes of [WHOLE, SINGLE_BYTES]) {
      const events = eventsOf(list, chunksOf(bytes, sizes), { room: 100 });
      expect(events.filter(isGathered)).toEqual([
        { kind: "gathered", place: "gathered", path: [1, "in"], json: '{"b":2}' },
      ]);
    }
  });
});
