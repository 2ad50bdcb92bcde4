/** The values that a `wanted` guide tells. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunkSizes, chunksOf, encode } from "./chunks.ts";
import { jsonWriter } from "./json-writers.ts";
import { eventsOf, everywhere, type Path, type Search, type WalkEvent } from "./walk-events.ts";
import { bytesOf, type Met, type Written, writtenJson } from "./written-json.ts";

const WANTED = everywhere("any", { scalars: "wanted" });

type MetScalar = Extract<Met, { kind: "scalar" }>;
type ToldScalar = Extract<WalkEvent, { kind: "scalar" }>;

const isScalar = <Item extends { kind: string }>(item: Item): item is Extract<Item, { kind: "scalar" }> =>
  item.kind === "scalar";

const scalarsIn = ({ met }: Written): MetScalar[] => met.filter(isScalar);

/** As it is written, without the quotes. */
const contentOf = ({ value, raw }: MetScalar): string => (typeof value === "string" ? raw.slice(1, -1) : raw);

const isUnderKey = (path: Path, keys: ReadonlySet<string>): boolean => {
  const last = path.at(-1);
  return typeof last === "string" && keys.has(last);
};

const looksLikeJson = (value: unknown): boolean => typeof value === "string" && /^[ \t\r\n]*[{[]/.test(value);

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the text is in a value, or in the JSON that a string holds, keys included. */
function holds(value: unknown, text: string): boolean {
  if (typeof value === "string") return value.includes(text) || holds(parsedOrUndefined(value), text);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, member]) => key.includes(text) || holds(member, text));
}

const sameScalar = (left: MetScalar, right: ToldScalar): boolean =>
  Object.is(left.value, right.value) && JSON.stringify(left.path) === JSON.stringify(right.path);

/** The scalars that were told, each with the one that it is in the document; in order, none twice. */
function pair(met: readonly MetScalar[], told: readonly ToldScalar[]): Map<MetScalar, ToldScalar> {
  const pairs = new Map<MetScalar, ToldScalar>();
  let next = 0;
  for (const scalar of met) {
    const candidate = told[next];
    if (candidate === undefined || !sameScalar(scalar, candidate)) continue;
    pairs.set(scalar, candidate);
    next += 1;
  }
  expect(told.slice(next), "told, but not in the document in this order").toEqual([]);
  return pairs;
}

const keyText = fc.constantFrom("id", "a", "", "__proto__", "requestId");
const wantedKeys = fc.uniqueArray(keyText, { maxLength: 3 }).map((keys) => new Set(keys));

/** Strings that hold the text, in themselves or in the JSON that they hold, as different programs write it. */
function stringsAround(text: string): fc.Arbitrary<string> {
  const around = fc
    .tuple(fc.string({ maxLength: 30 }), fc.string({ maxLength: 30 }))
    .map(([before, after]) => before + text + after);
  const plain = fc.oneof(fc.string(), around, fc.constantFrom(" \n{}", "\t[1]", "x{", "", text));
  const inJson = fc
    .tuple(jsonWriter, plain, fc.constantFrom("", " ", "\r\n"))
    .map(([write, value, gap]) => `${gap}{"k":${write(value)}}`);
  const inJsonTwice = fc.tuple(jsonWriter, inJson).map(([write, value]) => `[${write(value)}]`);
  return fc.tuple(jsonWriter, fc.oneof(plain, inJson, inJsonTwice)).map(([write, value]) => write(value));
}

const documentAround = (text: string): fc.Arbitrary<Written> =>
  writtenJson({ keys: keyText.map((key) => JSON.stringify(key)), strings: stringsAround(text) });

const withDocument = (text: fc.Arbitrary<string>): fc.Arbitrary<{ text: string; written: Written }> =>
  text.chain((chosen) => documentAround(chosen).map((written) => ({ text: chosen, written })));

const anyText = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
  fc.constantFrom('"', "\\", "/", "é", "日本", "😀", "<&>", "abc==", "a'b", "+1", "\n", "\u2028", "7", "1e"),
);

/** Needs no escape anywhere, so that what holds it is known exactly. Some look like JSON's own signs. */
const plainText = fc.oneof(
  fc.stringMatching(/^[ab1,}\]:]{1,3}$/),
  fc.constantFrom("7,", "0]", "e}", "5,", "true", "e5", "l,"),
);

const told = (written: Written, sizes: readonly number[], search: Search): ToldScalar[] =>
  eventsOf(WANTED, chunksOf(bytesOf(written), sizes), search).filter(isScalar);

describe("a walk that looks for a text and for keys", () => {
  test("never misses a value that holds the text, that stands under a wanted key or that looks like JSON", () => {
    fc.assert(
      fc.property(withDocument(anyText), wantedKeys, chunkSizes, ({ text, written }, keys, sizes) => {
        const pairs = pair(scalarsIn(written), told(written, sizes, { text, wantedKeys: keys }));
        for (const scalar of scalarsIn(written)) {
          const isHolding = contentOf(scalar).includes(text) || holds(scalar.value, text);
          const isTold = isHolding || isUnderKey(scalar.path, keys) || looksLikeJson(scalar.value);
          if (isTold) expect(pairs.get(scalar), `missed ${scalar.raw}`).toBeDefined();
          if (isHolding) expect(pairs.get(scalar)?.holdsText).toBe(true);
        }
      }),
      { numRuns: 1_500 },
    );
  });

  test("tells nothing without a reason", () => {
    fc.assert(
      fc.property(withDocument(anyText), wantedKeys, chunkSizes, ({ text, written }, keys, sizes) => {
        for (const scalar of told(written, sizes, { text, wantedKeys: keys })) {
          const isWanted = isUnderKey(scalar.path, keys) || looksLikeJson(scalar.value);
          expect(isWanted || scalar.holdsText).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("for a text that nothing escapes, tells exactly the values whose bytes hold it", () => {
    fc.assert(
      fc.property(withDocument(plainText), wantedKeys, chunkSizes, ({ text, written }, keys, sizes) => {
        const expected = scalarsIn(written).flatMap((scalar) => {
          const { path, value } = scalar;
          const holdsText = contentOf(scalar).includes(text);
          const isTold = holdsText || isUnderKey(path, keys) || looksLikeJson(value);
          return isTold ? [{ kind: "scalar", place: "any", path, value, holdsText }] : [];
        });
        expect(told(written, sizes, { text, wantedKeys: keys })).toStrictEqual(expected);
      }),
      { numRuns: 1_500 },
    );
  });

  test("without a text, tells wanted keys and JSON in strings alone", () => {
    fc.assert(
      fc.property(documentAround("x"), wantedKeys, chunkSizes, (written, keys, sizes) => {
        const expected = scalarsIn(written)
          .filter(({ path, value }) => isUnderKey(path, keys) || looksLikeJson(value))
          .map(({ path, value }) => ({ kind: "scalar", place: "any", path, value, holdsText: false }));
        expect(told(written, sizes, { wantedKeys: keys })).toStrictEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test("a text of which one spelling is everywhere and another nowhere does not cost a pass for each hit", () => {
    const bytes = encode(`[${'{"k":"今日は日本","m":"other"},'.repeat(30_000)}1]`);
    const began = performance.now();
    expect(eventsOf(WANTED, [bytes], { text: "日本" })).toHaveLength(30_000);
    // Tens of milliseconds; with a pass for each hit, more than half a minute.
    expect(performance.now() - began).toBeLessThan(4_000);
  });
});
