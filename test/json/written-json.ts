/**
 * JSON in any spelling that the grammar allows, together with what a walk meets, in order. Keys and values come from
 * `JSON.parse`, one token at a time, so that members with the same key are all there.
 */
import fc from "fast-check";
import type { Guide } from "../../src/json/walk-guide.ts";
import type { Scalar } from "../../src/json/walk-visitor.ts";
import { anyCharacter } from "../support/any-character.ts";
import { encode } from "./chunks.ts";
import type { Path, WalkEvent } from "./walk-events.ts";

export type Met =
  | { readonly kind: "open"; readonly path: Path }
  /** How many items an array has. */
  | { readonly kind: "close"; readonly path: Path; readonly length: number }
  | { readonly kind: "scalar"; readonly path: Path; readonly value: Scalar; readonly raw: string };

export interface Written {
  readonly text: string;
  readonly met: readonly Met[];
}

/** The tokens that the JSON consists of, as written. */
export interface Tokens {
  readonly keys: fc.Arbitrary<string>;
  readonly strings: fc.Arbitrary<string>;
}

const quoted = (units: readonly string[]): string => `"${units.join("")}"`;

const stringUnit = fc.oneof(
  fc
    .string({ unit: anyCharacter, minLength: 1, maxLength: 1 })
    .map((character) => JSON.stringify(character).slice(1, -1)),
  fc.constantFrom('\\"', "\\\\", "\\/", "/", "\\b\\f\\n\\r\\t", "\\u0041", "\\u00E9", "\\u0000", "é", "😀"),
  fc.constantFrom("\\ud83d\\ude00", "\\ud83d", "\\ude00", "\ufeff", "\u2028", "\u007f", "{", "}", "[", "]"),
  fc.constantFrom(",", ":", '\\"}', '\\"]', '\\\\\\"', "'"),
);

export const anyString: fc.Arbitrary<string> = fc.array(stringUnit, { maxLength: 16 }).map(quoted);

/** Few keys, so that the same key occurs twice. */
export const oddKeys: fc.Arbitrary<string> = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      '""',
      '"a"',
      '"in"',
      '"out"',
      '"\\u0061"',
      '"__proto__"',
      '"constructor"',
      '"0"',
    ),
    weight: 8,
  },
  {
    arbitrary: fc.constantFrom(
      '" "',
      '"\\\\"',
      '"\\""',
      '"é"',
      '"\\u00e9"',
      '"\\ud800"',
      '"😀"',
      '"a\\u0000"',
    ),
    weight: 6,
  },
  { arbitrary: anyString, weight: 4 },
  {
    arbitrary: fc.constantFrom(127, 128, 129, 5_000).map((length) => quoted(["k".repeat(length)])),
    weight: 1,
  },
);

const number = fc.oneof(
  fc.constantFrom("0", "-0", "7", "1e5", "1E+2", "-1.25E-3", "0.10", "-0.0e-0", "1e999", "1e-999"),
  fc.constantFrom("123456789012345680000", "9007199254740993", `0.${"3".repeat(300)}`),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);

const literal = fc.constantFrom("true", "false", "null");

const space = fc.constantFrom("", "", "", " ", "\n\t", "\r\n  ");

const isScalar = (value: unknown): value is Scalar =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

function writtenScalar(raw: string): Written {
  const value: unknown = JSON.parse(raw);
  if (!isScalar(value)) throw new Error("Not a scalar.");
  return { text: raw, met: [{ kind: "scalar", path: [], value, raw }] };
}

const below = (segment: string | number, met: readonly Met[]): Met[] =>
  met.map((each) => ({ ...each, path: [segment, ...each.path] }));

const enclosed = (met: readonly Met[], length: number): Met[] => [
  { kind: "open", path: [] },
  ...met,
  { kind: "close", path: [], length },
];

const writtenArray = (items: readonly Written[], gap: string): Written => ({
  text: `[${gap}${items.map(({ text }) => text).join(`${gap},${gap}`)}${gap}]`,
  met: enclosed(
    items.flatMap(({ met }, index) => below(index, met)),
    items.length,
  ),
});

const writtenObject = (members: readonly (readonly [string, Written])[], gap: string): Written => ({
  text: `{${gap}${members.map(([key, { text }]) => `${key}${gap}:${gap}${text}`).join(`${gap},${gap}`)}${gap}}`,
  met: enclosed(
    members.flatMap(([key, { met }]) => below(String(JSON.parse(key)), met)),
    0,
  ),
});

/** Containers only, since these know where they end. */
export function writtenJson(tokens: Tokens): fc.Arbitrary<Written> {
  const { container } = fc.letrec<{ value: Written; container: Written }>((tie) => ({
    value: fc.oneof(
      { depthSize: "medium", withCrossShrink: true, maxDepth: 7 },
      fc.oneof(tokens.strings, tokens.strings, number, literal).map(writtenScalar),
      tie("container"),
    ),
    container: fc.oneof(
      fc
        .tuple(fc.array(tie("value"), { maxLength: 4 }), space)
        .map(([items, gap]) => writtenArray(items, gap)),
      fc
        .tuple(fc.array(fc.tuple(tokens.keys, tie("value")), { maxLength: 4 }), space)
        .map(([members, gap]) => writtenObject(members, gap)),
    ),
  }));
  return container;
}

export const anyWrittenJson: fc.Arbitrary<Written> = writtenJson({ keys: oddKeys, strings: anyString });

export const bytesOf = ({ text }: Written): Uint8Array => encode(text);

/** The guide for the container at this path; undefined if it is skipped. */
function guideAt(root: Guide, path: Path): Guide | undefined {
  let guide: Guide | undefined = root;
  for (const segment of path) {
    if (guide === undefined) return undefined;
    if (typeof segment === "number") {
      guide = guide.items;
    } else {
      const named: Guide | null | undefined = guide.members?.get(segment);
      guide = named === undefined ? guide.otherMembers : (named ?? undefined);
    }
  }
  return guide;
}

/** The events that a walker must report, for a guide that reports all scalars of a container or none. */
export function expectedEvents(met: readonly Met[], root: Guide): WalkEvent[] {
  return met.flatMap((each): WalkEvent[] => {
    const { kind, path } = each;
    const guide = guideAt(root, kind === "scalar" ? path.slice(0, -1) : path);
    if (guide === undefined) return [];
    const { place } = guide;
    if (kind !== "scalar") return guide.isReported === true ? [{ place, ...each }] : [];
    return guide.scalars === "all" ? [{ kind, place, path, value: each.value }] : [];
  });
}
