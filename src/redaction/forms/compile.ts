/**
 * Compiles forms into matchers, and into an index by the hash of each anchor's first three characters, which finds
 * candidates for all forms in one pass. Built once, when the module is loaded.
 */
import { charactersOf } from "./alphabets.ts";
import { type Form, isRun, type LiteralPart, leastLength, type Part, type RunPart } from "./notation.ts";

/** A form as it is matched, for one spelling of its anchor. */
export interface CompiledForm {
  readonly anchor: string;
  /** Parts before the anchor, nearest first. */
  readonly before: readonly Part[];
  readonly after: readonly Part[];
  /** The run that follows the anchor, which rejects most candidates; undefined if something else follows. */
  readonly run: RunPart | undefined;
  /** The code of the character that follows the anchor; -1 if it may be one of several. */
  readonly next: number;
  /** Index of the part in `after` with which the secret begins; -1 if the secret includes the anchor. */
  readonly secretFrom: number;
  /** The alphabet of the first run if the form does not begin with its anchor; otherwise -1. */
  readonly firstAlphabet: number;
  /** No other word contains such a prefix: any character may precede it. */
  readonly isDistinctive: boolean;
  readonly leastLength: number;
  readonly beside: readonly string[];
  readonly kind: string;
}

const NONE = -1;
/** JSON may escape it with a backslash. */
const SOLIDUS = 47;

const SHORTEST_DISTINCTIVE = 4;
const hasSign = /[^A-Za-z0-9]/;

const isLiteral = (part: Part): part is LiteralPart => !isRun(part);

/** The first literal that the index can find; the first of all when none is long enough. */
function anchorOf(parts: readonly Part[]): number {
  const first = parts[0];
  if (first !== undefined && isLiteral(first)) return 0;
  const long = parts.findIndex((part) => isLiteral(part) && part.texts.every((text) => text.length >= 3));
  if (long < 0) throw new SyntaxError("A form that begins with a run needs a literal of three characters.");
  return long;
}

function onlyCodeOf(part: Part | undefined): number {
  if (part === undefined || isRun(part) || part.texts.length !== 1) return NONE;
  const code = part.texts[0]?.charCodeAt(0);
  return code === undefined || code === SOLIDUS ? NONE : code;
}

function compileForm({ parts, secretFrom, mustBeginWord, beside, kind }: Form): CompiledForm[] {
  const index = anchorOf(parts);
  const anchor = parts[index];
  if (anchor === undefined || isRun(anchor)) return [];
  const first: RunPart | undefined = parts.find(isRun);
  const following = parts[index + 1];
  return anchor.texts.map((text) => ({
    anchor: text,
    before: parts.slice(0, index).reverse(),
    after: parts.slice(index + 1),
    run: following !== undefined && isRun(following) ? following : undefined,
    next: onlyCodeOf(following),
    secretFrom: secretFrom - index - 1,
    firstAlphabet: index > 0 && first !== undefined ? first.alphabet : -1,
    isDistinctive: index === 0 && !mustBeginWord && text.length >= SHORTEST_DISTINCTIVE && hasSign.test(text),
    leastLength: leastLength(parts),
    beside,
    kind,
  }));
}

/** About a hundred per form, so that ordinary text seldom hits an occupied slot. */
const SLOTS = 1 << 16;

export const slotOf = (first: number, second: number, third: number): number =>
  (Math.imul(first, 40_503) ^ Math.imul(second, 2_503) ^ third) & (SLOTS - 1);

const PAIRS = 1 << 14;

/** The number of two characters, unique only for ASCII. */
export const pairOf = (first: number, second: number): number => ((first & 127) << 7) | (second & 127);

/** What a pair of characters may begin: an anchor in a slot, a shorter one, or both. */
export const BEGINS_SLOT = 1;
export const BEGINS_SHORT = 2;

/** Forms with the same anchor, which is searched for once. */
export interface AnchoredForms {
  readonly anchor: string;
  /** The code of its fourth character, which the index does not cover; -1 when it has none, or may be escaped. */
  readonly fourth: number;
  /** None of them occurs inside a word. */
  mustBeginWord: boolean;
  readonly forms: CompiledForm[];
}

type Bucket = AnchoredForms[];

const FOURTH = 3;

function addToBucket(bucket: Bucket, form: CompiledForm): void {
  const { anchor } = form;
  const known = bucket.find((each) => each.anchor === anchor);
  const mustBeginWord = form.before.length === 0 && !form.isDistinctive;
  if (known !== undefined) {
    known.forms.push(form);
    known.mustBeginWord &&= mustBeginWord;
  } else {
    const fourth = anchor.length > FOURTH && !anchor.includes("/") ? anchor.charCodeAt(FOURTH) : NONE;
    bucket.push({ anchor, fourth, mustBeginWord, forms: [form] });
  }
}

/** Where to look forms up: by three characters, or by two when the anchor is shorter and begins a word. */
export interface FormIndex {
  /** For each pair of characters, what it may begin. */
  readonly heads: Uint8Array;
  /** For each slot, the number of its forms in `buckets`; 0 for none. */
  readonly slots: Uint16Array;
  readonly pairs: Uint16Array;
  readonly buckets: readonly (readonly AnchoredForms[])[];
}

function pairsOf({ anchor, after }: CompiledForm): number[] {
  const [first, second] = [anchor.charCodeAt(0), anchor.charCodeAt(1)];
  if (anchor.length === 2) return [pairOf(first, second)];
  const next = after[0];
  if (next === undefined) return [];
  const followers = isRun(next)
    ? charactersOf(next.alphabet)
    : next.texts.map((text) => text.charAt(0)).join("");
  return Array.from(followers, (character) => pairOf(first, character.charCodeAt(0)));
}

/** @throws SyntaxError for a form that the index cannot find */
export function compileForms(forms: readonly Form[]): FormIndex {
  const heads = new Uint8Array(PAIRS);
  const slots = new Uint16Array(SLOTS);
  const pairs = new Uint16Array(PAIRS);
  const buckets: Bucket[] = [[]];
  const add = (table: Uint16Array, entry: number, form: CompiledForm): void => {
    const bucket = table[entry] || buckets.push([]) - 1;
    table[entry] = bucket;
    addToBucket(buckets[bucket] ?? [], form);
  };
  for (const form of forms.flatMap(compileForm)) {
    const [first = 0, second = 0, third] = Array.from(form.anchor, (character) => character.charCodeAt(0));
    if (third === undefined) {
      for (const pair of pairsOf(form)) {
        add(pairs, pair, form);
        heads[pair] = (heads[pair] ?? 0) | BEGINS_SHORT;
      }
    } else {
      const pair = pairOf(first, second);
      add(slots, slotOf(first, second, third), form);
      heads[pair] = (heads[pair] ?? 0) | BEGINS_SLOT;
    }
  }
  return { heads, slots, pairs, buckets };
}
