/** Malformed JSON is refused, or costs only the isolated container. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Guide } from "../../src/json/walk-guide.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { type ChunkSizes, chunkSizes, chunksOf, encode, SINGLE_BYTES, WHOLE } from "./chunks.ts";
import { eventsOf, everywhere, resultOrRefusal, type WalkEvent } from "./walk-events.ts";
import {
  anyString,
  anyWrittenJson,
  bytesOf,
  expectedEvents,
  type Written,
  writtenJson,
} from "./written-json.ts";

const ALL = everywhere("all");
const PASSES_OVER: Guide = { place: "root", scalars: "all" };

const isRefused = (text: string, sizes: ChunkSizes, guide = ALL): boolean =>
  resultOrRefusal(() => eventsOf(guide, chunksOf(encode(text), sizes))) === undefined;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("an input that ends too early", () => {
  test("is refused wherever it ends, whether containers are entered or skipped", inBothLanes, () => {
    // Short keys, since each prefix is walked.
    const short = writtenJson({ keys: anyString, strings: anyString });
    fc.assert(
      fc.property(short, fc.constantFrom(ALL, PASSES_OVER), chunkSizes, (written, guide, sizes) => {
        const bytes = bytesOf(written);
        for (let length = 0; length < bytes.length; length += Math.ceil(bytes.length / 300)) {
          const prefix = bytes.subarray(0, length);
          expect(resultOrRefusal(() => eventsOf(guide, chunksOf(prefix, sizes)))).toBeUndefined();
        }
      }),
      { numRuns: runs(80) },
    );
  });
});

const TOKENS = ["{", "}", "[", "]", ",", ":", '"a"', '"', "\\", "1", "-", ".", "e", "true", "nul", " ", "é"];

const tokenSoup = fc.array(fc.constantFrom(...TOKENS), { maxLength: 14 }).map((tokens) => tokens.join(""));

describe("malformed input", () => {
  test.each([
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1}",
    "[[1]",
    '{"a":1]',
    '{"a"}',
    '{"a":}',
    '{"a" 1}',
    '{"a":1,}',
    "{,}",
    "{a:1}",
    "{1:2}",
    "[nul]",
    "[01]",
    "[1.]",
    "[--1]",
    "[+1]",
    "[NaN]",
    '["\\x"]',
    '["\\u12"]',
    '["a" "b"]',
    '[1"b"]',
    "[1{}]",
    "[1:2]",
    "[1]]",
    "[1] 2",
    '{"a":"b":"c"}',
    "]",
    ",",
    "nul",
    "1 2",
    "",
    " ",
    "\u00a0[]",
    "\ufeff[]",
    "[1\u000b]",
  ])("%j is refused", (text) => {
    expect(isRefused(text, WHOLE)).toBe(true);
    expect(isRefused(text, SINGLE_BYTES)).toBe(true);
  });

  test("a document is refused exactly if the grammar forbids its tokens", inBothLanes, () => {
    fc.assert(
      fc.property(tokenSoup, fc.constantFrom("[]", "{}"), chunkSizes, (soup, [open, close], sizes) => {
        const text = `${open}${soup}${close}`;
        expect(isRefused(text, sizes)).toBe(!isJson(text));
      }),
      { numRuns: runs(4_000) },
    );
  });

  test("any bytes give events or a refusal, the same for all chunk boundaries", inBothLanes, () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      tokenSoup.map(encode),
      fc.tuple(anyWrittenJson, tokenSoup).map(([written, soup]) => encode(written.text + soup)),
    );
    const guide = fc.constantFrom<Guide>(
      ALL,
      PASSES_OVER,
      everywhere("wanted", { scalars: "wanted" }),
      everywhere("gathered", { isGathered: true }),
    );
    fc.assert(
      fc.property(bytes, guide, chunkSizes, (input, root, sizes) => {
        const walk = (cut: ChunkSizes) =>
          resultOrRefusal(() => eventsOf(root, chunksOf(input, cut), { room: 40 }));
        expect(walk(sizes)).toStrictEqual(walk(WHOLE));
      }),
      { numRuns: runs(2_000) },
    );
  });
});

const INNER = everywhere("inner");
const listOf = (items: Guide): Guide => ({ place: "list", items });
const LIST = listOf({ ...INNER, place: "element", isIsolated: true, isReported: true });

/** Enters everything but requests no scalars, so their spelling does not matter. */
const QUIET_LIST = listOf({
  ...everywhere("quiet", {}),
  place: "element",
  isIsolated: true,
  isReported: true,
});

/** Skips the content of elements. */
const SHALLOW_LIST = listOf({ place: "element", scalars: "wanted", isIsolated: true, isReported: true });

/** Malformed, although brackets and strings balance. */
const BALANCED = [
  '{"a":x}',
  "{a:1}",
  '{"a" 1}',
  '{"a":1 2}',
  '{"a":1,}',
  '{"a":}',
  '{"a"}',
  "[1,]",
  '["\\x"]',
  '["\\u12"]',
  '{"\\x":1}',
  '{"a":x"}"}',
  '{"a":1"]"}',
  '{"a":1{"b":"]"}}',
  '{"a":1["}"],"b":{}}',
  '["a" "]"]',
  '["a""]"]',
  '{"a":["b":"}"]}',
  '[[{"b":[01]}],{"c":"]"}]',
  '{"a":nul}',
  "{,}",
  "[:]",
  `[${"1".repeat(1_200)}]`,
  `[${"9".repeat(3_000)},"]"]`,
];

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gsu;

/** Puts a character unknown to JSON between two tokens. */
function spoil(text: string, place: number): string {
  const tokens = text.match(TOKEN) ?? [];
  const at = 1 + (place % Math.max(1, tokens.length - 1));
  return [...tokens.slice(0, at), " ? ", ...tokens.slice(at)].join("");
}

interface Element {
  readonly text: string;
  /** Undefined if the element is malformed. */
  readonly met: Written["met"] | undefined;
}

const element: fc.Arbitrary<Element> = fc.oneof(
  anyWrittenJson,
  fc.constantFrom(...BALANCED).map((text) => ({ text, met: undefined })),
  fc
    .tuple(anyWrittenJson, fc.nat())
    .map(([{ text }, place]) => ({ text: spoil(text, place), met: undefined })),
);

const elements = fc.array(element, { minLength: 1, maxLength: 6 });

const textOf = (list: readonly Element[]): string => `[${list.map(({ text }) => text).join(", ")}]`;

const eventsOfElement = (events: readonly WalkEvent[], index: number): WalkEvent[] =>
  events.filter(({ path }) => path[0] === index);

/** Events of a malformed element: it opens, and is broken once, at its end. */
function expectBroken(events: readonly WalkEvent[], index: number): void {
  const path = [index];
  expect(events[0]).toEqual({ kind: "open", place: "element", path });
  expect(events.at(-1)).toEqual({ kind: "broken", place: "element", path });
  expect(events.filter(({ kind }) => kind === "broken")).toHaveLength(1);
  expect(events.filter((event) => event.kind === "close")).toEqual([]);
}

const wholeElement = (met: Written["met"], index: number, list: Guide): WalkEvent[] => {
  if (list.items === undefined) throw new Error("A list has items.");
  return expectedEvents(met, list.items).map((event) => ({ ...event, path: [index, ...event.path] }));
};

describe("a malformed isolated element", () => {
  test("is broken once and affects only itself", inBothLanes, () => {
    fc.assert(
      fc.property(elements, chunkSizes, (list, sizes) => {
        const events = eventsOf(LIST, chunksOf(encode(textOf(list)), sizes));
        for (const [index, { met }] of list.entries()) {
          const ofElement = eventsOfElement(events, index);
          if (met === undefined) expectBroken(ofElement, index);
          else expect(ofElement).toStrictEqual(wholeElement(met, index, LIST));
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  test.each([
    ["no scalars are requested", QUIET_LIST],
    ["its content is skipped", SHALLOW_LIST],
  ])("affects only itself if %s", inBothLanes, (_name, list) => {
    fc.assert(
      fc.property(elements, chunkSizes, (each, sizes) => {
        const events = eventsOf(list, chunksOf(encode(textOf(each)), sizes));
        for (const [index, { met }] of each.entries()) {
          const kinds = eventsOfElement(events, index).map(({ kind }) => kind);
          const ends = kinds.filter((kind) => kind === "close" || kind === "broken");
          expect(kinds[0]).toBe("open");
          expect(ends).toHaveLength(1);
          if (met !== undefined) expect(ends).toEqual(["close"]);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  test("gives the same events for all chunk boundaries", inBothLanes, () => {
    fc.assert(
      fc.property(elements, chunkSizes, fc.constantFrom(LIST, QUIET_LIST), (list, sizes, guide) => {
        const bytes = encode(textOf(list));
        const events = eventsOf(guide, chunksOf(bytes, sizes), { room: 40 });
        expect(events).toStrictEqual(eventsOf(guide, [bytes], { room: 40 }));
      }),
      { numRuns: runs(500) },
    );
  });

  test("is contained by the innermost isolated container", () => {
    const inner: Guide = { place: "inner", isIsolated: true, scalars: "all" };
    const outer: Guide = { place: "outer", isIsolated: true, scalars: "all", otherMembers: inner };
    const text = '[{"a":{"x":?},"b":{"y":1},"c":2},{"d" 3},{"e":4}]';
    const events = eventsOf({ place: "list", items: outer }, chunksOf(encode(text), SINGLE_BYTES));
    expect(events.map(({ kind, path }) => [kind, ...path])).toEqual([
      ["broken", 0, "a"],
      ["scalar", 0, "b", "y"],
      ["scalar", 0, "c"],
      ["broken", 1],
      ["scalar", 2, "e"],
    ]);
  });

  test("may be the root, and anything after it is refused", () => {
    const root: Guide = { ...ALL, place: "root", isIsolated: true };
    expect(eventsOf(root, [encode('{"a":?} ')])).toEqual([{ kind: "broken", place: "root", path: [] }]);
    expect(isRefused('{"a":?} 1', SINGLE_BYTES, root)).toBe(true);
    expect(isRefused('{"a":?', SINGLE_BYTES, root)).toBe(true);
  });

  test("cannot be an error between elements", () => {
    for (const text of ["[{} {}]", "[{},,{}]", "[{},]", '[{},{"a":1}', "[{}]]", "[{}}"]) {
      expect(isRefused(text, SINGLE_BYTES, LIST)).toBe(true);
    }
  });
});
