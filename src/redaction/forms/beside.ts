/**
 * Keys without a distinctive form, such as 32 hexadecimal digits: recognized by the name of their provider
 * shortly before them, and a word that announces a secret (`adobe_key = …`, `Vercel TOKEN …`).
 * One pass over the words of a text; the last named provider counts.
 */
import { pattern } from "../../platform/pattern.ts";
import { isWordCode } from "./alphabets.ts";
import type { Span } from "./match.ts";
import { endOfParts } from "./match.ts";
import { isRun, type Part, parseParts } from "./notation.ts";
import { Runs } from "./runs.ts";
import type { Scanned } from "./scan.ts";

interface Provider {
  readonly name: string;
  readonly forms: readonly (readonly Part[])[];
}

interface BesideIndex {
  /** For each three letters, in any case, the index of their providers in `buckets`; 0 for none. */
  readonly heads: Uint16Array;
  readonly buckets: readonly (readonly Provider[])[];
}

const TRIPLES = 1 << 15;
/** The number of three letters, the same in lower and upper case. */
const foldedTriple = (first: number, second: number, third: number): number =>
  ((first & 31) << 10) | ((second & 31) << 5) | (third & 31);

const LONGER = 8;

function lengthened(parts: readonly Part[]): Part[] {
  return parts.map((part, index) =>
    isRun(part) && index === parts.length - 1 && part.least >= 16
      ? { ...part, most: Math.max(part.most, part.least + LONGER) }
      : part,
  );
}

/** A form recognized by the names of providers. */
export interface BesideFact {
  readonly notation: string;
  /** In lower case, without hyphens and underscores. */
  readonly names: readonly string[];
}

/** The facts of a table: `notation | names`. */
export function parseBeside(table: string): BesideFact[] {
  return table
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [notation = "", names = ""] = line.split(" | ");
      return { notation, names: names.split(",") };
    });
}

/** @throws SyntaxError for a form that is not in the notation */
export function compileBeside(facts: readonly BesideFact[]): BesideIndex {
  const forms = new Map<string, Part[][]>();
  for (const { notation, names } of facts) {
    const parts = lengthened(parseParts(notation).parts);
    for (const name of names) forms.set(name, [...(forms.get(name) ?? []), parts]);
  }
  const heads = new Uint16Array(TRIPLES);
  const buckets: Provider[][] = [[]];
  // Longest first: `teamworkdesk` before `teamwork`.
  const sorted = [...forms].sort(([a], [b]) => b.length - a.length);
  for (const [name, parts] of sorted) {
    const triple = foldedTriple(name.charCodeAt(0), name.charCodeAt(1), name.charCodeAt(2));
    const bucket = heads[triple] || buckets.push([]) - 1;
    heads[triple] = bucket;
    buckets[bucket]?.push({ name, forms: parts });
  }
  return { heads, buckets };
}

const HYPHEN = 45;
const UNDERSCORE = 95;
const isJoint = (code: number): boolean => code === HYPHEN || code === UNDERSCORE;

/** Where the name ends, in any case and possibly with hyphens; -1 if it does not occur here. */
function endOfName(text: string, name: string, from: number): number {
  let at = from;
  for (let index = 0; index < name.length; index += 1, at += 1) {
    if (index > 0 && isJoint(text.charCodeAt(at))) at += 1;
    if ((text.charCodeAt(at) | 32) !== (name.charCodeAt(index) | 32)) return -1;
  }
  return at;
}

const isCapital = (code: number): boolean => code >= 65 && code <= 90;

/** A name begins a word, also within one: `myStripeKey`. */
function mayBeginName(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (at === 0 || !isWordCode(before)) return true;
  return isCapital(text.charCodeAt(at)) && !isCapital(before);
}

const WINDOW = 64;
const SECRET_WORD = /key|token|secret|private|access|auth|passw|credential|login/i;
const OTHER_WORD = pattern("i")`
  ^(?:
    id|ids|sha|sha1|sha256|md5|commit|hash|digest|checksum|version|integrity|etag|rev|revision|ref|uuid
    |guid|trace|request|public|blob|tree
  )$
`;
const LONGEST_WORD = 24;

interface Reading {
  readonly provider: Provider;
  readonly end: number;
  saysSecret: boolean;
}

function readWord(reading: Reading, runs: Runs, from: number): number {
  const to = runs.endOfWord(from);
  if (to - from < 2 || to - from > LONGEST_WORD) return to;
  const word = runs.text.slice(from, to);
  if (SECRET_WORD.test(word)) reading.saysSecret = true;
  else if (OTHER_WORD.test(word)) reading.saysSecret = false;
  return to;
}

/** Digits among letters, not a word with a number at its end. */
const isRandom = (value: string): boolean =>
  /\d[A-Za-z_-]{0,20}\d|\d[A-Za-z]/.test(value) && /[A-Za-z]|\d{16}/.test(value);

/** `name = "value"`: nothing between them except an assignment. */
const ASSIGNS = /^[\s"'`=:>{(,]{1,12}$/;

const isDirect = ({ end }: Reading, text: string, from: number): boolean =>
  from - end <= 12 && ASSIGNS.test(text.slice(end, from));

function keyAt({ provider }: Reading, runs: Runs, from: number): number {
  let best = -1;
  for (const parts of provider.forms) {
    const end = endOfParts(parts, runs, from);
    if (end > best && !isWordCode(runs.text.charCodeAt(end)) && isRandom(runs.text.slice(from, end)))
      best = end;
  }
  return best;
}

/** Where such keys occur in a text. Time grows with its length and no faster: each word is read once. */
export function scanBeside({ heads, buckets }: BesideIndex, text: string): Scanned {
  let runs: Runs | undefined;
  const spans: Span[] = [];
  const last = text.length - 2;
  let reading: Reading | undefined;
  let at = 0;
  while (at < last) {
    const triple = foldedTriple(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2));
    const bucket = heads[triple] ?? 0;
    const named =
      bucket === 0 || !mayBeginName(text, at) ? undefined : nameAt(buckets[bucket] ?? [], text, at);
    if (named !== undefined) {
      reading = named;
      at = named.end;
      continue;
    }
    if (reading !== undefined && at - reading.end > WINDOW) reading = undefined;
    if (reading === undefined || !beginsRun(text, at, reading)) {
      at += 1;
      continue;
    }
    runs ??= new Runs(text);
    const end = reading.saysSecret || isDirect(reading, text, at) ? keyAt(reading, runs, at) : -1;
    if (end > 0) {
      spans.push({ from: at, to: end, kind: "provider-key" });
      reading.saysSecret = false;
      at = end;
    } else at = Math.max(at + 1, readWord(reading, runs, at));
  }
  return { spans, steps: (runs?.steps ?? 0) + text.length };
}

function nameAt(providers: readonly Provider[], text: string, at: number): Reading | undefined {
  for (const provider of providers) {
    const end = endOfName(text, provider.name, at);
    if (end > 0) return { provider, end, saysSecret: false };
  }
  return undefined;
}

const beginsRun = (text: string, at: number, { end }: Reading): boolean =>
  isWordCode(text.charCodeAt(at)) && (at === end || !isWordCode(text.charCodeAt(at - 1)));
