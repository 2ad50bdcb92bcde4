/** The label before a separator: read backwards, within bounds, whatever quotes or markup surround it. */
import { pattern } from "../../platform/pattern.ts";
import { isIn, numberOfAlphabet } from "../forms/alphabets.ts";
import type { KeyKind, KindOfKey } from "../key-rules.ts";
import { beforeBlanks, isBlankCode, isLineEndCode, isNameCode, isQuoteCode } from "./characters.ts";
import { isUnguessable } from "./plausible-values.ts";

export interface Label {
  /** The words as written, without quotes and emphasis. */
  readonly text: string;
  readonly from: number;
  /** The quote around it, with its backslashes; empty if there is none. */
  readonly quote: string;
}

export interface NamedLabel {
  readonly name: string;
  readonly kind: KeyKind;
  /** It is several words with spaces, so the value has to look like a token. */
  readonly isPhrase: boolean;
}

const MAX_LABEL = 64;
const ENTITY_QUOTE = /&(?:amp;)?(?:quot|apos|#34|#39|#x22|#x27);$/i;
const ESCAPED_QUOTE = /\\u002[27]$/;
const CLOSING_TAG = /<\/[a-z][a-z0-9]{0,9}>$/i;

/** Skips backwards over the end of a label: quotes, emphasis, a subscript's bracket, a remark in parentheses. */
function beforeClosings(text: string, to: number, floor: number): { end: number; quote: string } {
  let end = to;
  let quote = "";
  if (isPlainEnd(text.charCodeAt(end - 1))) return { end, quote };
  for (let step = 0; step < 6 && end > floor; step += 1) {
    const sign = text[end - 1] ?? "";
    if (quote !== "" && sign !== "*") break;
    const isEscaped =
      (sign === "2" || sign === "7") && ESCAPED_QUOTE.test(text.slice(Math.max(floor, end - 20), end));
    if (isEscaped || isQuoteCode(sign.charCodeAt(0))) {
      const from = beforeBackslashes(text, end - (isEscaped ? 5 : 1));
      quote = text.slice(from, end);
      end = from;
    } else if (sign === "*" || "”»’」』】！!".includes(sign)) end -= 1;
    else if (sign === "]") {
      const before = beforeSubscript(text, end);
      if (before === end) break;
      end = before;
    } else if (sign === ";" || sign === ">") {
      const closing = (sign === ";" ? ENTITY_QUOTE : CLOSING_TAG).exec(
        text.slice(Math.max(floor, end - 14), end),
      );
      if (closing === null) break;
      if (sign === ";") quote = closing[0];
      end -= closing[0].length;
    } else if (sign === ")") {
      // `headers.get("x-token") != …`
      if (isQuoteCode(text.charCodeAt(end - 2)) && /^ ?[!=]==? ?["']/.test(text.slice(to, to + 6))) {
        end -= 1;
        continue;
      }
      const open = text.slice(Math.max(floor, end - 40), end).lastIndexOf("(");
      const begin = Math.max(floor, end - 40) + open;
      // `f(a): B` is code.
      if (open < 0 || !isBlankCode(text.charCodeAt(begin - 1))) break;
      end = beforeBlanks(text, begin);
    } else break;
  }
  return { end, quote };
}

/** Most labels end with a letter that nothing closes. A 2 or 7 may be the end of `\u0022` or `\u0027`. */
const isPlainEnd = (code: number): boolean => isNameCode(code) && code !== 0x32 && code !== 0x37;

function beforeBackslashes(text: string, at: number): number {
  let from = at;
  while (from > 0 && at - from < 16 && text[from - 1] === "\\") from -= 1;
  return from;
}

/** `secret[25]`, `secret[]`: the name before; `a["secret"]`: the name inside; else nothing. */
function beforeSubscript(text: string, to: number): number {
  let from = to - 1;
  while (to - from < 8 && from > 0 && /\d/.test(text[from - 1] ?? "")) from -= 1;
  if (text[from - 1] === "[") return from - 1;
  // print_r of PHP: `[password] => …`; an array of Bash: `[password]="…"`.
  if (text.startsWith(" =>", to) || text.startsWith('="', to)) return to - 1;
  return isQuoteCode(text.charCodeAt(to - 2)) ? to - 1 : to;
}

export function labelBefore(text: string, at: number, floor: number): Label | undefined {
  const trimmed = beforeBlanks(text, at, MAX_LABEL);
  const { end, quote } = beforeClosings(text, trimmed, floor);
  const least = Math.max(floor, end - MAX_LABEL);
  let from = end;
  while (from > least && isLabelCode(text.charCodeAt(from - 1), quote)) from -= 1;
  if (from === end) return undefined;
  // The `n` of a literal `\n` is no part of a name.
  if (text[from - 1] === "\\")
    from += /^u[0-9a-f]{4}/i.exec(text.slice(from, from + 5))?.[0].length ?? escapeLength(text, from);
  const label = text.slice(from, end).trim();
  return label.length < 2 ? undefined : { text: label, from, quote };
}

const escapeLength = (text: string, at: number): number => (/[nrt]/.test(text[at] ?? "") ? 1 : 0);

function isLabelCode(code: number, quote: string): boolean {
  if (isNameCode(code) || isBlankCode(code)) return true;
  if (isLineEndCode(code) || isQuoteCode(code)) return false;
  // In quotes a label ends at the quote only.
  return (
    quote !== "" &&
    !quote.startsWith("&") &&
    !quote.includes("u") &&
    code !== 92 &&
    code > 32 &&
    code < 127 &&
    !"{}<>,;=&".includes(String.fromCharCode(code))
  );
}

/** Words after a label that belong to the sentence: `API key provided: …`. */
const TAIL = pattern("i")`
  [ \u00a0](?:
    provided|supplied|reset|changed|updated|rotated|generated|assigned|equal|given|received|entered|used
    |found|submitted|is|was|are|below|here|now|value|as|to|by|set|ist|lautet|est|es
  )$
`;
/** The purpose or owner at the end of a label: `Password for jo`. */
const PURPOSE =
  /[ \u00a0](?:for|für|pour|para|per|of|de|del|von|to|in|on|an|at|from|with|till|för|til|voor)[ \u00a0].*$/i;

/** Parsers call a word of their text a token. It may be one. */
const OF_PARSER = /\bun(?:expected|recogni[sz]ed) token$/i;
const WORD_AFTER = /^[^\w]{0,5}([\w.+/=-]+)/;
export const MAX_AFTER = 200;

/** The shortest ending of a label that names a secret; undefined if none does. */
export function nameIn(label: string, kindOfKey: KindOfKey, after = ""): NamedLabel | undefined {
  if (OF_PARSER.test(label) && !isUnguessable(WORD_AFTER.exec(after)?.[1] ?? "")) return undefined;
  const last = lastWords(label, 1);
  const single =
    last.startsWith("-") || last.startsWith(".") ? last.replace(/^-D(?=[a-z])|^[-.]+/, "") : last;
  const kind = single === "" ? "none" : kindOfKey(single);
  if (kind !== "none") return { name: single, kind, isPhrase: false };
  if (last.length === label.length || !/[ \u00a0]/.test(label)) return undefined;
  return (
    phraseIn(label, [2, 3], kindOfKey) ??
    inShorter(label, TAIL, kindOfKey) ??
    inShorter(label, PURPOSE, kindOfKey)
  );
}

function phraseIn(label: string, counts: readonly number[], kindOfKey: KindOfKey): NamedLabel | undefined {
  for (const count of counts) {
    const name = lastWords(label, count);
    const kind = kindOfKey(name);
    if (kind !== "none") return { name, kind, isPhrase: true };
    if (name.length === label.length) return undefined;
  }
  return undefined;
}

function inShorter(label: string, rest: RegExp, kindOfKey: KindOfKey): NamedLabel | undefined {
  let shorter = label;
  for (let step = 0; step < 3; step += 1) {
    const next = shorter.replace(rest, "");
    if (next === shorter) break;
    shorter = next.trimEnd();
  }
  return shorter === label ? undefined : phraseIn(shorter, [1, 2, 3], kindOfKey);
}

function lastWords(label: string, count: number): string {
  let from = label.length;
  for (let word = 0; word < count && from > 0; word += 1) {
    while (from > 0 && isBlankCode(label.charCodeAt(from - 1))) from -= 1;
    while (from > 0 && !isBlankCode(label.charCodeAt(from - 1))) from -= 1;
  }
  return label.slice(from);
}

const LONGEST_WORD = 20;
/** Letters of ASCII, digits, `_` and `-`. */
const WORD = numberOfAlphabet("v");

/** The last word of a label, or its last twenty characters. */
export function lastWordOf(label: string): string {
  let from = label.length;
  const least = Math.max(0, from - LONGEST_WORD);
  while (from > least && isIn(label.charCodeAt(from - 1), WORD)) from -= 1;
  return label.slice(from);
}
