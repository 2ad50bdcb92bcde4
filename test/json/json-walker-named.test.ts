/** Scalars under named keys, and containers that are entered only if the visitor wants them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonReadError } from "../../src/json/errors.ts";
import { MAX_WALKED_STRING_BYTES } from "../../src/json/walk-frame.ts";
import type { Guide } from "../../src/json/walk-guide.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { chunkSizes, chunksOf, encode, WHOLE } from "./chunks.ts";
import { eventsOf, everywhere, type Path, type WalkEvent } from "./walk-events.ts";
import { anyWrittenJson, bytesOf } from "./written-json.ts";

const NAMED = new Set(["a", "in", "__proto__"]);

const isUnderName = (path: Path): boolean => {
  const last = path.at(-1);
  return typeof last === "string" && NAMED.has(last);
};

describe("scalars under named keys", () => {
  test("are reported, and no others", inBothLanes, () => {
    const root = everywhere("any", { scalars: "named", named: NAMED });
    fc.assert(
      fc.property(anyWrittenJson, chunkSizes, (written, sizes) => {
        const expected = written.met.flatMap((each): WalkEvent[] =>
          each.kind === "scalar" && isUnderName(each.path)
            ? [{ kind: "scalar", place: "any", path: each.path, value: each.value }]
            : [],
        );
        expect(eventsOf(root, chunksOf(bytesOf(written), sizes))).toStrictEqual(expected);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test("are reported in addition to wanted ones and JSON in strings", () => {
    const root = everywhere("any", { scalars: "wanted", named: new Set(["error"]) });
    const text = '{"error":"late","id":7,"body":"[1]","else":"x","deep":[{"error":true},"error"]}';
    const events = eventsOf(root, [encode(text)], { keys: new Set(["id"]) });
    expect(events.map((event) => [event.path.join("/"), "value" in event && event.value])).toEqual([
      ["error", "late"],
      ["id", 7],
      ["body", "[1]"],
      ["deep/0/error", true],
    ]);
  });

  test.each<[NonNullable<Guide["scalars"]>, string, boolean]>([
    ["named", "error", true],
    ["named", "other", false],
    ["wanted", "error", false],
    ["wanted", "id", true],
  ])(
    "that are too long are reported as skipped in a %s guide under the key %s: %s",
    (scalars, key, isMissed) => {
      const root = everywhere("any", { scalars, named: new Set(["error"]) });
      const bytes = encode(`{"${key}":"${"x".repeat(MAX_WALKED_STRING_BYTES + 1)}","in":{}}`);
      for (const sizes of [WHOLE, [65_536]]) {
        const events = eventsOf(root, chunksOf(bytes, sizes), { keys: new Set(["id"]) });
        expect(events.map(({ kind }) => kind)).toEqual(isMissed ? ["onSkipped"] : []);
      }
    },
  );

  test.each([
    "0",
    "7",
    "123456789012345",
    "9007199254740993",
    "12345678901234567890",
    "-0",
    "-12",
    "1.50",
    "1e3",
    "true",
    "null",
  ])("%s is reported as JSON.parse reads it", (number) => {
    const [event] = eventsOf(everywhere("any"), [encode(`[${number}]`)]);
    expect(event).toStrictEqual({ kind: "scalar", place: "any", path: [0], value: JSON.parse(number) });
  });

  test.each(["01", "00", "-", "1x", "0123456789", "12 3"])("%s is no number", (number) => {
    expect(() => eventsOf(everywhere("any"), [encode(`[${number}]`)])).toThrow(JsonReadError);
  });
});

describe("an optional container", () => {
  const guideWith = (isOptional: boolean): Guide => ({
    place: "outer",
    scalars: "all",
    otherMembers: { ...everywhere("inner", { scalars: "all", isReported: true }), isOptional },
  });

  test("is reported like any other if it is entered, and otherwise not at all", inBothLanes, () => {
    fc.assert(
      fc.property(anyWrittenJson, fc.boolean(), chunkSizes, (written, isEntered, sizes) => {
        const bytes = encode(`{"before":1,"in":${written.text},"after":2}`);
        const entered = new Set(isEntered ? ["inner"] : []);
        const events = eventsOf(guideWith(true), chunksOf(bytes, sizes), { entered });
        const all = eventsOf(guideWith(false), [bytes]);
        expect(events).toStrictEqual(isEntered ? all : all.filter(({ place }) => place === "outer"));
        expect(events.length).toBeGreaterThanOrEqual(2);
      }),
      { numRuns: runs(500) },
    );
  });
});
