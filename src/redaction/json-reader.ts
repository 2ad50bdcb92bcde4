/**
 * Reads one JSON object or list inside a text, in one pass, even if it is cut off anywhere, interrupted by something
 * else, or escaped as inside JSON strings (`{\"a\":1}`), as often as happens in practice. Incomplete JSON is completed,
 * so that it can be judged by its structure.
 */
import { setMember } from "../platform/set-member.ts";
import { MARKS } from "./marks.ts";

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

const MAX_DEPTH = 200;
/** How many times a quote is escaped, by the number of backslashes before it. */
const ESCAPES: ReadonlyMap<number, number> = new Map([0, 1, 2, 3, 4].map((times) => [2 ** times - 1, times]));
const MAX_BACKSLASHES = 15;

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
const MARK = new RegExp(MARKS.source, "y");
/** Longer numbers would be rounded by parsing them. */
export const LONG_NUMBER = /\d{16}/;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

type Container = JsonValue[] | { [key: string]: JsonValue };

interface Frame {
  readonly value: Container;
  key: string;
}

const SIMPLE_ESCAPES = new Map(Object.entries({ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }));

/** RFC 8259 section 7; half an escape at the end of a cut text is dropped. */
function unescapeOnce(text: string): string {
  return text.replace(
    /\\(?:u([0-9A-Fa-f]{4})|u?[0-9A-Fa-f]{0,3}$|([\s\S]))/g,
    (_match, code: string | undefined, sign = "") =>
      code === undefined
        ? (SIMPLE_ESCAPES.get(sign) ?? sign)
        : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

export class JsonReader {
  readonly #text: string;
  #frames: Frame[] = [];
  #value: JsonValue = null;
  #at = 0;
  #end = 0;
  /** Number of backslashes before the quotes of its strings; undefined until the first string. */
  #backslashes: number | undefined;
  #isCutString = false;
  #strings = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads from a bracket; false if it contains no string, so that its structure says nothing. */
  read(from: number): boolean {
    this.#at = from;
    this.#frames = [];
    this.#backslashes = undefined;
    this.#isCutString = false;
    this.#strings = 0;
    const root: Container = this.#text[from] === "[" ? [] : {};
    this.#value = root;
    this.#open(root);
    while (this.#frames.length > 0) if (!this.#next()) break;
    return this.#strings > 0;
  }

  get value(): JsonValue {
    return this.#value;
  }

  /** Where the JSON ends in the text; if cut or broken, after the last value read. */
  get end(): number {
    return this.#end;
  }

  get at(): number {
    return this.#at;
  }

  get escapes(): number {
    return ESCAPES.get(this.#backslashes ?? 0) ?? 0;
  }

  /** The characters that complete the JSON; empty if it is whole. */
  get closers(): string {
    const brackets = this.#frames.map(({ value }) => (Array.isArray(value) ? "]" : "}")).reverse();
    return (this.#isCutString ? '"' : "") + brackets.join("");
  }

  #open(value: Container): void {
    this.#frames.push({ value, key: "" });
    this.#at += 1;
    this.#end = this.#at;
  }

  /** Reads one member or element, or the end of a container; false if it cannot continue. */
  #next(): boolean {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return false;
    this.#space();
    const sign = this.#text[this.#at];
    if (sign === (Array.isArray(frame.value) ? "]" : "}")) {
      this.#frames.pop();
      this.#at += 1;
      this.#end = this.#at;
      return true;
    }
    if (sign === ",") {
      this.#at += 1;
      this.#space();
    }
    return Array.isArray(frame.value) || this.#readKey(frame) ? this.#readValue(frame) : false;
  }

  #readKey(frame: Frame): boolean {
    const key = this.#string();
    if (key === undefined || this.#isCutString) {
      this.#isCutString = false;
      return false;
    }
    this.#space();
    if (this.#text[this.#at] !== ":") return false;
    this.#at += 1;
    this.#space();
    frame.key = key;
    return true;
  }

  #readValue(frame: Frame): boolean {
    const sign = this.#text[this.#at];
    if (sign === "{" || sign === "[") {
      const mark = sign === "[" ? this.#match(MARK) : undefined;
      if (mark !== undefined) return this.#put(frame, mark);
      if (this.#frames.length >= MAX_DEPTH) return false;
      const value: Container = sign === "[" ? [] : {};
      this.#put(frame, value);
      this.#open(value);
      return true;
    }
    if (sign === '"' || sign === "\\") {
      const text = this.#string();
      return text !== undefined && this.#put(frame, text) && !this.#isCutString;
    }
    const number = this.#match(NUMBER);
    if (number !== undefined) return this.#put(frame, LONG_NUMBER.test(number) ? number : Number(number));
    const literal = this.#match(LITERAL);
    return literal !== undefined && this.#put(frame, literal === "null" ? null : literal === "true");
  }

  #put({ value, key }: Frame, member: JsonValue): true {
    if (Array.isArray(value)) value.push(member);
    else setMember(value, key, member);
    this.#end = this.#at;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /** Skips whitespace; in escaped JSON, line ends and tabs are escaped too. */
  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) this.#at += 1;
      else if (code === BACKSLASH && this.#isEscapedSpace()) continue;
      else return;
    }
  }

  #isEscapedSpace(): boolean {
    const backslashes = this.#countBackslashes(this.#at);
    const sign = this.#text[this.#at + backslashes];
    if (sign !== "n" && sign !== "r" && sign !== "t") return false;
    this.#at += backslashes + 1;
    return true;
  }

  #countBackslashes(from: number): number {
    let count = 0;
    while (count <= MAX_BACKSLASHES && this.#text.charCodeAt(from + count) === BACKSLASH) count += 1;
    return count;
  }

  /** The string that begins here, possibly cut off; undefined if none begins. */
  #string(): string | undefined {
    const backslashes = this.#countBackslashes(this.#at);
    const escapes = ESCAPES.get(backslashes);
    if (escapes === undefined || this.#text.charCodeAt(this.#at + backslashes) !== QUOTE) return undefined;
    this.#backslashes ??= backslashes;
    if (backslashes !== this.#backslashes) return undefined;
    const from = this.#at + backslashes + 1;
    const to = this.#endOfString(from, backslashes);
    let text = this.#text.slice(from, to);
    for (let times = 0; times <= escapes && text.includes("\\"); times += 1) text = unescapeOnce(text);
    this.#strings += 1;
    return text;
  }

  /** Moves past the string and returns where its text ends: before its quote, or where it was cut. */
  #endOfString(from: number, backslashes: number): number {
    let quote = this.#text.indexOf('"', from);
    for (; quote >= 0; quote = this.#text.indexOf('"', quote + 1)) {
      let before = 0;
      while (quote - 1 - before >= from && this.#text.charCodeAt(quote - 1 - before) === BACKSLASH)
        before += 1;
      const isEnd = backslashes === 0 ? before % 2 === 0 : before === backslashes;
      if (isEnd) {
        this.#at = quote + 1;
        return quote - backslashes;
      }
      // The enclosing string ends here, so this one is cut.
      if (before < backslashes) {
        this.#isCutString = true;
        this.#at = quote - before;
        return this.#at;
      }
    }
    this.#isCutString = true;
    this.#at = this.#text.length;
    return this.#at;
  }
}
