/**
 * External material: a folder with `secrets.jsonl` (a secret and the value it stands in, one per line) and
 * `ordinary.json` (documents with few secrets). A secret counts as leaked if a reader of the answer can read three
 * fifths of it in one piece, decoded or not.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Redacted } from "../../../src/redaction/redact.ts";

const secretLine = z.looseObject({
  tier: z.string(),
  value: z.unknown(),
  secret: z.string(),
  /** Further names under which it is counted, within its tier. */
  known: z.string().optional(),
  group: z.string().optional(),
});
const ordinaryFile = z.object({
  docs: z.array(z.looseObject({ value: z.unknown() })),
  /** `index|path` of each value that may be redacted. */
  expected: z.array(z.string()),
});

export interface Material {
  readonly secrets: readonly z.infer<typeof secretLine>[];
  readonly ordinary: z.infer<typeof ordinaryFile>;
}

/** Undefined if the folder has no such files. @throws ZodError if a file does not match its schema */
export function readMaterial(folder: string): Material | undefined {
  const [secrets, ordinary] = [join(folder, "secrets.jsonl"), join(folder, "ordinary.json")];
  if (!existsSync(secrets) || !existsSync(ordinary)) return undefined;
  return {
    secrets: readFileSync(secrets, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => secretLine.parse(JSON.parse(line))),
    ordinary: ordinaryFile.parse(JSON.parse(readFileSync(ordinary, "utf8"))),
  };
}

type Redact = (value: unknown) => Redacted;

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;
const isByte = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 256;
/** Shorter lists of small numbers are not taken for text. */
const LEAST_BYTES = 9;

/** Every text in a value: keys, strings, numbers, and lists of bytes. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string" || typeof value === "number") yield String(value);
  if (!isContainer(value)) return;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    if (items.length >= LEAST_BYTES && items.every(isByte)) yield Buffer.from(items).toString();
    for (const item of items) yield* textsIn(item);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    yield key;
    yield* textsIn(member);
  }
}

const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

const unescaped = (text: string): string =>
  text
    .replace(/\\u00([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\(["\\/nrt])/g, (_all, sign: string) => ESCAPED[sign] ?? sign);

const unquoted = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      // Not UTF-8.
      return run;
    }
  });

const withoutEntities = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

function* decodedOnce(text: string): Generator<string> {
  if (text.includes("\\")) yield unescaped(text);
  if (/%[0-9a-f]{2}/i.test(text)) yield unquoted(text);
  if (/&(?:amp|lt|quot);/.test(text)) yield withoutEntities(text);
}

const BASE64 = /[A-Za-z0-9+/_-]{24,}={0,2}/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what tells binary from text
const BINARY = /[\u0000-\u0008\ufffd]/;
const MOST_LEVELS = 4;

/** The text, and everything that decoding gives, in every order. */
function* readings(text: string, level = 0): Generator<string> {
  yield text;
  if (level > MOST_LEVELS) return;
  for (const decoded of decodedOnce(text)) if (decoded !== text) yield* readings(decoded, level + 1);
  for (const [run] of text.matchAll(BASE64)) {
    const decoded = Buffer.from(run, "base64").toString("utf8");
    if (!BINARY.test(decoded)) yield* readings(decoded, level + 1);
  }
}

const SHORT = 10;
const SHORTEST_PIECE = 8;
const PIECE = 0.6;

/** The beginning, middle and end of the secret; a short one as a whole. */
function piecesOf(secret: string): string[] {
  const { length } = secret;
  const size = length < SHORT ? length : Math.max(SHORTEST_PIECE, Math.ceil(length * PIECE));
  return [0, Math.floor((length - size) / 2), length - size].map((at) => secret.slice(at, at + size));
}

/** Every text that a reader finds in a value, decoded or not. */
export function readableTexts(shown: unknown): string[] {
  return [...textsIn(shown)].flatMap((text) => [...readings(text)]);
}

/** Whether one of the texts holds three fifths of the secret in one piece. */
export function showsSecret(texts: readonly string[], secret: string): boolean {
  const pieces = piecesOf(secret);
  return texts.some((text) => pieces.some((piece) => text.includes(piece)));
}

export interface Found {
  readonly name: string;
  readonly cases: number;
  readonly found: number;
}

/** By tier and by further names within it, in the order of the material. */
export function measureSecrets(redact: Redact, { secrets }: Material): Found[] {
  const counts = new Map<string, { cases: number; found: number }>();
  for (const { tier, value, secret, known, group } of secrets) {
    const isFound = !showsSecret(readableTexts(redact(value).value), secret);
    const parts = [known, group].filter((part) => part !== undefined).map((part) => `${tier}, ${part}`);
    for (const name of [tier, ...parts]) {
      const count = counts.get(name) ?? { cases: 0, found: 0 };
      counts.set(name, { cases: count.cases + 1, found: count.found + Number(isFound) });
    }
  }
  return [...counts].map(([name, count]) => ({ name, ...count }));
}

const leavesOf = (value: unknown): number =>
  isContainer(value) ? Object.values(value).reduce<number>((sum, each) => sum + leavesOf(each), 0) : 1;

interface Count {
  fields: number;
  wrong: number;
}

/** Compares a document with its redacted form, place by place. */
class Comparison {
  readonly #document: number;
  readonly #expected: ReadonlySet<string>;
  readonly #count: Count;

  constructor(document: number, expected: ReadonlySet<string>, count: Count) {
    this.#document = document;
    this.#expected = expected;
    this.#count = count;
  }

  compare(before: unknown, after: unknown, path: string): void {
    if (isContainer(before)) {
      if (isContainer(after)) this.#members(before, after, path);
      // n8n's internal state is redacted on purpose.
      else if (String(after).includes("internal")) this.#count.fields += 1;
      else this.#redacted(leavesOf(before), path);
    } else if (
      typeof after === "string" &&
      after.includes("[REDACTED:") &&
      !String(before).includes("[REDACTED:")
    ) {
      this.#redacted(1, path);
    } else {
      this.#count.fields += 1;
    }
  }

  #members(before: object, after: object, path: string): void {
    if (Array.isArray(before)) {
      for (const [index, item] of before.entries())
        this.compare(item, Reflect.get(after, index), `${path}[${index}]`);
      return;
    }
    const shown = Object.keys(after);
    const entries: [string, unknown][] = Object.entries(before);
    for (const [index, [key, value]] of entries.entries()) {
      // A redacted key stands in the place of the original one.
      const name = shown.length === entries.length ? (shown[index] ?? key) : key;
      if (name in after) this.compare(value, Reflect.get(after, name), `${path}.${key}`);
    }
  }

  #redacted(fields: number, path: string): void {
    this.#count.fields += fields;
    if (!this.#expected.has(`${this.#document}|${path}`)) this.#count.wrong += 1;
  }
}

/** The number of fields, and of places redacted wrongly. */
export function measureDocuments(redact: Redact, { ordinary }: Material): Readonly<Count> {
  const expected = new Set(ordinary.expected);
  const count: Count = { fields: 0, wrong: 0 };
  for (const [index, { value }] of ordinary.docs.entries())
    new Comparison(index, expected, count).compare(value, redact(value).value, "");
  return count;
}
