/**
 * Stretches of JSON in a text that is not JSON as a whole. Linear: which bracket closes which is found in one
 * pass, and what is no JSON after all is tried for a part of the text's length only.
 */
import { parseJson } from "./json-text.ts";
import type { JsonValue } from "./json-value.ts";
import { endOfQuoted } from "./quoted-text.ts";

/** Attempts that may fail, and one more for each so many characters: an error costs a few microseconds. */
const FAILING_ATTEMPTS = 16;
const CHARACTERS_FOR_ATTEMPT = 1_000;
/** Where quotes are odd, brackets inside what looks like a string are tried again: so often for each character. */
const SCANS = 2;

/** Finds where brackets close; each opening one that was passed on the way is known from then on. */
class Brackets {
  readonly #text: string;
  /** By place: 0 unknown, -1 never. */
  readonly #ends: Int32Array;
  #mayScan: number;

  constructor(text: string) {
    this.#text = text;
    this.#ends = new Int32Array(text.length);
    this.#mayScan = SCANS * text.length;
  }

  /** Behind the bracket that closes this one; -1 when there is none. */
  endOf(from: number): number {
    if (this.#ends[from] === 0 && this.#mayScan > 0) this.#scan(from);
    return this.#ends[from] || -1;
  }

  #scan(from: number): void {
    const open: number[] = [];
    let at = from;
    for (; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x22) {
        const end = endOfQuoted(this.#text, at + 1, '"');
        if (end < 0) break;
        at = end;
      } else if (code === 0x7b || code === 0x5b) {
        open.push(at);
      } else if (code === 0x7d || code === 0x5d) {
        const begin = open.pop();
        if (begin !== undefined) this.#ends[begin] = at + 1;
        if (open.length === 0) break;
      }
    }
    for (const begin of open) this.#ends[begin] = -1;
    this.#mayScan -= at - from;
  }
}

/**
 * Replaces each stretch of JSON by what `replace` makes of it; undefined leaves it as it is.
 * @param replace is given the value and the stretch itself
 * @param trying is called before each stretch is parsed
 */
export function replaceJson(
  text: string,
  replace: (value: JsonValue, source: string) => string | undefined,
  trying: () => void = () => {},
): string {
  const begins = /\{(?=\s{0,100}")|\[(?=\s{0,100}["{[])/g;
  const brackets = new Brackets(text);
  let mayFail = FAILING_ATTEMPTS + text.length / CHARACTERS_FOR_ATTEMPT;
  let mayRead = SCANS * text.length;
  let result = "";
  let done = 0;
  for (let match = begins.exec(text); match !== null; match = begins.exec(text)) {
    const end = brackets.endOf(match.index);
    if (end < 0) continue;
    if (mayFail <= 0 || mayRead <= 0) break;
    const source = text.slice(match.index, end);
    trying();
    const parsed = parseJson(source);
    if (parsed === undefined) {
      mayFail -= 1;
      mayRead -= source.length;
      continue;
    }
    const replaced = replace(parsed.value, source);
    if (replaced !== undefined) {
      result += text.slice(done, match.index) + replaced;
      done = end;
    }
    begins.lastIndex = end;
  }
  return done === 0 ? text : result + text.slice(done);
}

/** How many members the objects in a text of JSON have: one for each colon outside its strings. */
function membersWritten(json: string): number {
  let members = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 0x3a) members += 1;
    else if (code === 0x22) at = endOfQuoted(json, at + 1, '"');
  }
  return members;
}

function membersOf(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  const inside: readonly JsonValue[] = Array.isArray(value) ? value : Object.values(value);
  return inside.reduce<number>(
    (sum, each) => sum + membersOf(each),
    Array.isArray(value) ? 0 : inside.length,
  );
}

/** Whether all that stands in the JSON is in its value: of members with the same name only the last is. */
export function isWholeValue(json: string, value: JsonValue): boolean {
  return membersWritten(json) === membersOf(value);
}

/** Control characters (ISO 6429, C1): nobody's text, no letter, digit or sign to any rule, and one byte each in V8. */
const FIRST_HOLDER = 0x80;
const HOLDERS = 32;
const HOLDER = /[\x80-\x9f]/;
const HELD = /[{[]"([\x80-\x9f]{3})"[}\]]/g;
const MOST_HELD = HOLDERS ** 3;

function holderOf(index: number): string {
  return String.fromCharCode(
    FIRST_HOLDER + Math.floor(index / HOLDERS ** 2),
    FIRST_HOLDER + (Math.floor(index / HOLDERS) % HOLDERS),
    FIRST_HOLDER + (index % HOLDERS),
  );
}

function indexOfHolder(holder: string): number {
  return [...holder].reduce((index, each) => index * HOLDERS + each.charCodeAt(0) - FIRST_HOLDER, 0);
}

/**
 * Stretches that were read by their structure, taken out of the text around them while that is read. A holder has
 * the brackets and quotes of what it stands for, so that a name before it is seen to have a value.
 */
export class HeldStretches {
  readonly #stretches: string[] = [];
  readonly #text: string;
  #canHold: boolean | undefined;

  /** @param text in which they stand */
  constructor(text: string) {
    this.#text = text;
  }

  get isEmpty(): boolean {
    return this.#stretches.length === 0;
  }

  /** What stands for it; undefined when there is no room for it, or the text could be mistaken for it. */
  hold(stretch: string): string | undefined {
    this.#canHold ??= !HOLDER.test(this.#text);
    const index = this.#stretches.length;
    if (!this.#canHold || index >= MOST_HELD) return undefined;
    this.#stretches.push(stretch);
    const [open, close] = stretch.startsWith("{") ? ["{", "}"] : ["[", "]"];
    return `${open}"${holderOf(index)}"${close}`;
  }

  /** The text with all that was held in its place again. */
  restore(text: string): string {
    if (this.isEmpty) return text;
    return text.replace(HELD, (found, holder: string) => this.#stretches[indexOfHolder(holder)] ?? found);
  }
}
