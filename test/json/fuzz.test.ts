/**
 * Recorded executions, damaged at random, through all three readers: each gives a result or a JsonReadError, and agrees
 * with JSON.parse where that accepts the damaged text. A failure prints its seed.
 */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import {
  BoundedReader,
  inside,
  type ReadBounds,
  type ReadPlan,
  UNBOUNDED,
} from "../../src/json/bounded-reader.ts";
import { type Element, ElementSplitter, type Envelope } from "../../src/json/element-splitter.ts";
import type { ReadValue } from "../../src/json/omitted.ts";
import { createExecutionStore } from "../recorded-n8n/executions.ts";
import { readRecording } from "../recorded-n8n/recording.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { type ChunkSizes, chunksOf, decode, encode, SINGLE_BYTES, WHOLE } from "./chunks.ts";
import { eventsOf, everywhere, type Path, resultOrRefusal, type WalkEvent } from "./walk-events.ts";

const RUNS = runs(1_000);
const MAX_DOCUMENT_BYTES = 12_000;

type Damage =
  | { readonly kind: "flip"; readonly at: number; readonly bit: number }
  | { readonly kind: "delete"; readonly at: number; readonly count: number }
  | { readonly kind: "insert"; readonly at: number; readonly bytes: readonly number[] }
  | { readonly kind: "repeat"; readonly at: number; readonly count: number }
  | { readonly kind: "truncate"; readonly at: number };

/** Offsets are taken modulo the length. */
const at = fc.nat(1_000_000);
const count = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 200 }));
const insertion = fc.oneof(
  fc.constantFrom(
    '"',
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "\n",
    "1",
    "-",
    '\\"',
    '"a":1,',
    "null,",
    "{},",
    "é",
  ),
  fc.constantFrom('"__proto__":{"x":1},', '"list":[],', "\\u00e9", "\\ud83d", "0"),
);
const inserted = fc.oneof(
  insertion.map((text) => [...encode(text)]),
  fc.array(fc.nat(255), { maxLength: 4 }),
);

const damage: fc.Arbitrary<Damage> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant("flip" as const), at, bit: fc.nat(7) }), weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant("delete" as const), at, count }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constant("insert" as const), at, bytes: inserted }), weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant("repeat" as const), at, count }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant("truncate" as const), at }), weight: 1 },
);

/** Replaces bytes by others. */
function splice(bytes: Uint8Array, start: number, removed: number, added: Iterable<number>): Uint8Array {
  return new Uint8Array([...bytes.subarray(0, start), ...added, ...bytes.subarray(start + removed)]);
}

function damaged(bytes: Uint8Array, how: Damage): Uint8Array {
  const start = bytes.length === 0 ? 0 : how.at % bytes.length;
  switch (how.kind) {
    case "flip":
      return splice(bytes, start, 1, [(bytes[start] ?? 0) ^ (1 << how.bit)]);
    case "delete":
      return splice(bytes, start, how.count, []);
    case "insert":
      return splice(bytes, start, 0, how.bytes);
    case "repeat":
      return splice(bytes, start, 0, bytes.subarray(start, start + how.count));
    case "truncate":
      return bytes.slice(0, start);
  }
}

const sizes: fc.Arbitrary<ChunkSizes> = fc.oneof(
  fc.constantFrom(WHOLE, SINGLE_BYTES),
  fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 5 }),
);

let documents: Uint8Array[] = [];

/** Executions as n8n sends them, alone and in pages; long ones would take too much time. */
beforeAll(async () => {
  const { all } = createExecutionStore(await readRecording());
  const short = all
    .map(({ write }) => write("itemWithData"))
    .filter(({ length }) => length < MAX_DOCUMENT_BYTES);
  const pages = short.flatMap((text, index) => {
    const page = `{"data":[${text},{"id":"7","text":"é 😀 \\ud83d"}],"nextCursor":${JSON.stringify(`c"${index}`)}}`;
    return [page, JSON.stringify(JSON.parse(page), null, 1)];
  });
  documents = [...short, ...pages].map(encode);
  expect(documents.length).toBeGreaterThan(50);
});

interface Case {
  readonly document: number;
  readonly damages: readonly Damage[];
  readonly sizes: ChunkSizes;
}

const anyCase: fc.Arbitrary<Case> = fc.record({
  document: fc.nat(100_000),
  damages: fc.oneof(
    { arbitrary: fc.array(damage, { minLength: 1, maxLength: 1 }), weight: 2 },
    { arbitrary: fc.array(damage, { maxLength: 5 }), weight: 1 },
  ),
  sizes,
});

const bytesOf = ({ document, damages }: Case): Uint8Array =>
  damages.reduce(damaged, documents[document % documents.length] ?? new Uint8Array());

const parsedOf = (bytes: Uint8Array): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(decode(bytes)) };
  } catch {
    return undefined;
  }
};

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Builds a value from events; a later member replaces one of the same key, as in JSON.parse. */
class ScalarTree {
  readonly #members = new Map<string | number, ScalarTree>();
  #value: unknown;

  /** The node at this path, emptied. */
  renew(path: Path): ScalarTree {
    const [first, ...rest] = path;
    if (first === undefined) {
      this.#members.clear();
      this.#value = undefined;
      return this;
    }
    const member = this.#members.get(first) ?? new ScalarTree();
    this.#members.set(first, member);
    return member.renew(rest);
  }

  set(value: unknown): void {
    this.#value = value;
  }

  /** True if the same scalars are in the same places. */
  equals(value: unknown): boolean {
    if (typeof value !== "object" || value === null) return Object.is(this.#value, value);
    const entries: [string | number, unknown][] = Array.isArray(value)
      ? [...value.entries()]
      : Object.entries(value);
    if (entries.length !== this.#members.size) return false;
    return entries.every(([key, member]) => this.#members.get(key)?.equals(member) === true);
  }
}

function treeOf(events: readonly WalkEvent[]): ScalarTree {
  const tree = new ScalarTree();
  for (const event of events) {
    if (event.kind === "open") tree.renew(event.path);
    else if (event.kind === "scalar") tree.renew(event.path).set(event.value);
  }
  return tree;
}

const EVERYTHING = everywhere("any", { scalars: "all", isReported: true });
const ISOLATED = everywhere("any", { scalars: "wanted", isReported: true, isIsolated: true });

const STRING = /"(?:[^"\\]|\\.)*"/gsu;

/** The only difference: the walker accepts control characters in strings, JSON.parse does not. */
const hasControlCharacter = (text: string): boolean =>
  (text.match(STRING) ?? []).some((string) => [...string].some((character) => character < " "));

const read = (bounds: ReadBounds, bytes: Uint8Array, cut: ChunkSizes): ReadValue => {
  const reader = new BoundedReader(bounds);
  for (const chunk of chunksOf(bytes, cut)) reader.write(chunk);
  return reader.end();
};

const WITHOUT_WORKFLOWS: ReadPlan = {
  ...inside((ancestor) => (ancestor(0) === "workflowData" ? null : WITHOUT_WORKFLOWS)),
};

const TIGHT: ReadBounds = {
  maxStringBytes: 20,
  maxKeptBytes: 2_000,
  maxArrayItems: 2,
  maxDepth: 9,
  maxValues: 150,
  plan: WITHOUT_WORKFLOWS,
};

interface Split {
  readonly elements: readonly Element[];
  readonly envelope: Envelope;
}

function split(bytes: Uint8Array, cut: ChunkSizes): Split {
  const elements: Element[] = [];
  const splitter = new ElementSplitter(MAX_DOCUMENT_BYTES * 2, (element) => elements.push(element));
  for (const chunk of chunksOf(bytes, cut)) splitter.write(chunk);
  return { elements, envelope: splitter.end() };
}

/** The key of the first array directly in the outermost object. */
function listKeyOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([, member]) => Array.isArray(member))?.[0];
}

function expectSplit({ elements, envelope }: Split, value: object, key: string): void {
  const values = elements.map((element) => {
    if (element.kind === "too_large") throw new Error("No element is that large.");
    return parsedOf(element.bytes)?.value;
  });
  // Other containers beside the list are skipped.
  const read = Object.entries(value).filter(
    ([name, member]) => name === key || typeof member !== "object" || member === null,
  );
  expect(isDeepStrictEqual({ ...envelope, [key]: values }, Object.fromEntries(read))).toBe(true);
}

describe("damaged executions", () => {
  test("JsonWalker reads the scalars that JSON.parse reads, or refuses", inBothLanes, () => {
    fc.assert(
      fc.property(anyCase, (each) => {
        const bytes = bytesOf(each);
        const parsed = parsedOf(bytes);
        const events = resultOrRefusal(() => eventsOf(EVERYTHING, chunksOf(bytes, each.sizes)));
        if (parsed === undefined)
          expect(events === undefined || hasControlCharacter(decode(bytes))).toBe(true);
        else expect(events !== undefined && treeOf(events.value).equals(parsed.value)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  test(
    "JsonWalker reports the same events for all chunk boundaries, broken parts included",
    inBothLanes,
    () => {
      fc.assert(
        fc.property(anyCase, (each) => {
          const bytes = bytesOf(each);
          const walk = (cut: ChunkSizes) => resultOrRefusal(() => eventsOf(ISOLATED, chunksOf(bytes, cut)));
          const events = walk(each.sizes);
          expect(isDeepStrictEqual(events, walk(WHOLE))).toBe(true);
          if (parsedOf(bytes) !== undefined) expect(events).toBeDefined();
        }),
        { numRuns: RUNS / 2 },
      );
    },
  );

  test("BoundedReader reads what JSON.parse reads, or refuses", inBothLanes, () => {
    fc.assert(
      fc.property(anyCase, (each) => {
        const bytes = bytesOf(each);
        const value = resultOrRefusal(() => read(UNBOUNDED, bytes, each.sizes));
        expect(isDeepStrictEqual(value, parsedOf(bytes))).toBe(true);
        const bounded = resultOrRefusal(() => read(TIGHT, bytes, each.sizes));
        if (value !== undefined && isUtf8(bytes)) expect(bounded).toBeDefined();
      }),
      { numRuns: RUNS },
    );
  });

  test("ElementSplitter splits what JSON.parse reads, or refuses", inBothLanes, () => {
    fc.assert(
      fc.property(anyCase, (each) => {
        const bytes = bytesOf(each);
        const parts = resultOrRefusal(() => split(bytes, each.sizes));
        const value = parsedOf(bytes)?.value;
        const key = listKeyOf(value);
        if (typeof value !== "object" || value === null || Array.isArray(value)) return;
        expect(parts !== undefined).toBe(key !== undefined);
        if (parts !== undefined && key !== undefined) expectSplit(parts.value, value, key);
      }),
      { numRuns: RUNS / 2 },
    );
  });
});
