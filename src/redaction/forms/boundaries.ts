/**
 * Where a token may begin: not inside another word. But an apparent end of a word may be an escape left in cut JSON or
 * in a log, such as the `n` of a literal `\n` or the `22` of `\u0022`.
 */
import { isIn, isWordCode, numberOfAlphabet } from "./alphabets.ts";

const PERCENT = 0x25;
const ZERO = 0x30;
const NINE = 0x39;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const SMALL_M = 0x6d;
const SMALL_U = 0x75;
const SMALL_X = 0x78;

/** The letters after a backslash: `\n`, `\r`, `\t`, `\b`, `\f`, `\v`, `\0`, `\e`. */
const ESCAPES = new Set(Array.from("nrtbfv0e", (character) => character.charCodeAt(0)));
const HEX = numberOfAlphabet("H");
/** `my_key` is one word. */
const NAME = numberOfAlphabet("x");

/** `[31m`, `[1;31m`: the colour of a terminal. */
const LONGEST_COLOUR = 8;

function endsColour(text: string, at: number): boolean {
  if (text.charCodeAt(at - 1) !== SMALL_M) return false;
  for (let before = at - 2; before >= at - LONGEST_COLOUR; before -= 1) {
    const code = text.charCodeAt(before);
    if (code === BRACKET) return true;
    if (isWordCode(code) && code > NINE) return false;
  }
  return false;
}

/** How long the escape is that ends here: `\n`, `\x22`, `\u0022`, `%22`, or `u0022` without its backslash. */
function escapeLength(text: string, at: number): number {
  const last = text.charCodeAt(at - 1);
  if (text.charCodeAt(at - 2) === BACKSLASH && ESCAPES.has(last)) return 2;
  if (!isIn(last, HEX)) return 0;
  if (text.charCodeAt(at - 3) === PERCENT) return 3;
  if (text.charCodeAt(at - 4) === BACKSLASH && text.charCodeAt(at - 3) === SMALL_X) return 4;
  const isUnicode = text.charCodeAt(at - 5) === SMALL_U && text.charCodeAt(at - 4) === ZERO;
  return isUnicode && text.charCodeAt(at - 3) === ZERO ? 5 : 0;
}

export function beginsWord(text: string, at: number): boolean {
  if (at === 0 || !isIn(text.charCodeAt(at - 1), NAME)) return true;
  return escapeLength(text, at) > 0 || endsColour(text, at);
}

/** The longest escape less its backslash: `u0022`. */
const LONGEST_ESCAPE = 5;

/** Where a run begins if its first letters may be the end of an escape: after the escape. */
export function startBehindEscape(text: string, from: number): number {
  for (let at = from + LONGEST_ESCAPE; at > from; at -= 1) if (escapeLength(text, at) >= at - from) return at;
  return from;
}

export const isCut = (text: string, at: number): boolean =>
  at >= text.length || text[at] === "…" || text.startsWith("...", at);

export const isEscapedSolidus = (text: string, at: number): boolean =>
  text.charCodeAt(at) === BACKSLASH && text[at + 1] === "/";
