/** Strings too long to be held: their events must not depend on chunk boundaries. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_WALKED_STRING_BYTES } from "../../src/json/walk-frame.ts";
import type { Guide } from "../../src/json/walk-guide.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { chunksUpTo, encode } from "./chunks.ts";
import { eventsOf, everywhere, type WalkEvent } from "./walk-events.ts";

const MAX = MAX_WALKED_STRING_BYTES;
const BEFORE = '{"long":"';

/** Pieces of a string as written, each complete in itself. */
const piece = fc.oneof(
  fc.constantFrom(
    '\\"',
    "\\\\",
    '\\\\\\"',
    "\\\\\\\\",
    '\\"}',
    '\\"]',
    "needle",
    "need",
    "é",
    "\\u00e9",
    "{",
  ),
  fc.integer({ min: 1, max: 9 }).map((count) => "\\\\".repeat(count)),
);

const opening = fc.constantFrom("", "", "{", " \\n\\t[", "x{", "\\n".repeat(600), " ".repeat(2_000));

interface LongString {
  readonly content: string;
  /** Places that a chunk boundary might break, from the beginning of the document. */
  readonly offsets: readonly number[];
}

/** A string of about this many bytes, with the pieces distributed over it and at its end. */
function longString({ length, start, pieces }: Recipe): LongString {
  const room = Math.max(0, length - encode(start + pieces.join("")).length);
  const gap = "a".repeat(Math.floor(room / (pieces.length + 1)));
  const rest = "b".repeat(room - gap.length * pieces.length);
  const parts = [start + rest, ...pieces.map((each) => gap + each)];
  let at = BEFORE.length;
  const offsets = parts.map((part) => {
    at += encode(part).length;
    return at;
  });
  return { content: parts.join(""), offsets };
}

/** How to build a string, so that a counterexample does not print a megabyte. */
interface Recipe {
  readonly length: number;
  readonly start: string;
  readonly pieces: readonly string[];
}

const recipe: fc.Arbitrary<Recipe> = fc.record({
  length: fc.oneof(
    fc.integer({ min: MAX - 3, max: MAX + 3 }),
    fc.integer({ min: MAX, max: MAX + 200_000 }),
    fc.constant(MAX - 50_000),
  ),
  start: opening,
  pieces: fc.array(piece, { maxLength: 5 }),
});

/** Chunks that end near the pieces, near the limit, or anywhere. */
function withCuts(made: Recipe): fc.Arbitrary<Recipe & { cuts: number[] }> {
  const { offsets, content } = longString(made);
  const near = fc.constantFrom(...offsets, BEFORE.length + MAX, BEFORE.length);
  const cut = fc.oneof(
    fc.tuple(near, fc.integer({ min: -10, max: 4 })).map(([offset, by]) => Math.max(0, offset + by)),
    fc.nat(content.length),
  );
  return fc.array(cut, { maxLength: 12 }).map((cuts) => ({ ...made, cuts }));
}

function documentOf({ content }: LongString): Uint8Array {
  return encode(`${BEFORE}${content}","after":["text",{"x":1}]}`);
}

function eventsOfString({ content }: LongString, guide: Guide): WalkEvent[] {
  const { place, scalars } = guide;
  const value: unknown = JSON.parse(`"${content}"`);
  if (scalars === undefined || typeof value !== "string") return [];
  const isConclusive = scalars === "all" || /^\s*[{[]/.test(value);
  if (encode(content).length > MAX) return isConclusive ? [{ kind: "onSkipped", place, path: ["long"] }] : [];
  return isConclusive ? [{ kind: "scalar", place, path: ["long"], value }] : [];
}

function eventsAfter({ place, scalars }: Guide): WalkEvent[] {
  const text: WalkEvent = { kind: "scalar", place, path: ["after", 0], value: "text" };
  const number: WalkEvent = { kind: "scalar", place, path: ["after", 1, "x"], value: 1 };
  return scalars === "all" ? [text, number] : [];
}

/** Compares without printing a megabyte. */
function expectSame(events: readonly WalkEvent[], expected: readonly WalkEvent[]): void {
  const short = (events: readonly WalkEvent[]): string =>
    JSON.stringify(events, (_key, value: unknown) =>
      typeof value === "string" && value.length > 100 ? `${value.length} characters` : value,
    );
  expect(short(events)).toBe(short(expected));
  const isEqual = events.every((event, index) => {
    const other = expected[index];
    return event.kind !== "scalar" || (other?.kind === "scalar" && event.value === other.value);
  });
  expect(isEqual).toBe(true);
}

describe("a long string", () => {
  test.each([everywhere("all"), everywhere("wanted", { scalars: "wanted" }), everywhere("silent", {})])(
    "gives the same events for all chunk boundaries, and the walk continues: $place",
    inBothLanes,
    (guide) => {
      fc.assert(
        fc.property(recipe.chain(withCuts), (made) => {
          const string = longString(made);
          const events = eventsOf(guide, chunksUpTo(documentOf(string), made.cuts));
          expectSame(events, [...eventsOfString(string, guide), ...eventsAfter(guide)]);
        }),
        { numRuns: runs(50) },
      );
    },
  );

  test.each([MAX - 1, MAX, MAX + 1])(
    "of %d bytes is cut at the limit, with chunk boundaries at each byte around it",
    (length) => {
      const guide = everywhere("all");
      const string = longString({ length, start: "{", pieces: ["needle"] });
      const bytes = documentOf(string);
      for (let cut = BEFORE.length + MAX - 3; cut < BEFORE.length + MAX + 6; cut += 1) {
        const events = eventsOf(guide, chunksUpTo(bytes, [cut]));
        expectSame(events, [...eventsOfString(string, guide), ...eventsAfter(guide)]);
      }
    },
  );

  test.each(["needle", '\\"needle\\"', "\\\\\\\\\\\\", '\\\\\\"}', '\\"', '\\"\\"\\"'])(
    "gives the same events wherever the characters %s beyond the limit are cut",
    (signs) => {
      const string: LongString = { content: "a".repeat(MAX + 9) + signs, offsets: [] };
      const bytes = documentOf(string);
      for (let cut = MAX + 12; cut <= bytes.length; cut += 1) {
        const events = eventsOf(everywhere("all"), chunksUpTo(bytes, [cut]));
        expectSame(events, [...eventsOfString(string, everywhere("all")), ...eventsAfter(everywhere("all"))]);
      }
    },
  );

  test("that ends with backslashes ends where JSON.parse says, in single bytes", () => {
    for (const backslashes of [2, 4, 10]) {
      const string: LongString = { content: "a".repeat(MAX + 9) + "\\".repeat(backslashes), offsets: [] };
      const bytes = documentOf(string);
      const cuts = Array.from({ length: bytes.length - MAX - 12 }, (_, index) => MAX + 12 + index);
      const events = eventsOf(everywhere("all"), chunksUpTo(bytes, cuts));
      expectSame(events, [...eventsOfString(string, everywhere("all")), ...eventsAfter(everywhere("all"))]);
    }
  });

  test.each([" ", "\\n"])(
    "of white space (%j) up to the limit gives the same events for all boundaries",
    (space) => {
      const content = `${space.repeat(MAX)}{`;
      const bytes = documentOf({ content, offsets: [] });
      const whole = eventsOf(everywhere("all"), [bytes]);
      for (const cut of [MAX + 8, MAX + 9, MAX + 10, MAX + 11, bytes.length - 40]) {
        expectSame(eventsOf(everywhere("all"), chunksUpTo(bytes, [cut])), whole);
      }
    },
  );
});

describe("a long key", () => {
  test.each([4_000, 4_097, 70_000])("of %d bytes is a key like any other, for all boundaries", (length) => {
    const key = "k".repeat(length);
    const bytes = encode(`{"${key}":{"x":1}}`);
    for (const cut of [1, 100, 4_096, 4_099, 60_000, length + 3]) {
      const [event] = eventsOf(everywhere("all"), chunksUpTo(bytes, [cut]));
      expect(event?.path).toEqual([key, "x"]);
    }
  });

  test("longer than the longest string is refused, for all boundaries", () => {
    for (const length of [MAX, MAX + 1, MAX + 2]) {
      const bytes = encode(`[{"${"k".repeat(length)}":1}]`);
      for (const cut of [bytes.length, MAX + 2, MAX + 3, MAX + 4, MAX + 5]) {
        const walk = (): WalkEvent[] => eventsOf(everywhere("all"), chunksUpTo(bytes, [cut]));
        if (length > MAX) expect(walk).toThrow("too long");
        else expect(walk()).toHaveLength(1);
      }
    }
  });
});

describe("a number", () => {
  test.each([1_000, 1_100, 1_101, 5_000])(
    "of %d digits is accepted or refused for all boundaries",
    (digits) => {
      const bytes = encode(`[${"1".repeat(digits)},2]`);
      for (const cuts of [[], [500], [1_101], [1_102], [1_103], [600, 1_200]]) {
        const walk = (): WalkEvent[] => eventsOf(everywhere("all"), chunksUpTo(bytes, cuts));
        if (digits > 1_100) expect(walk).toThrow("too long");
        else expect(walk()).toHaveLength(2);
      }
    },
  );
});
