/**
 * What stands in a text at all. One look at each character tells which rules can find nothing in it, and most
 * texts are so plain that hardly any rule has to read them. Pure.
 */

/** One bit for each character, or class of characters, that a rule cannot do without. */
export const SIGN = {
  digit: 1 << 0,
  /** A to Z. */
  capital: 1 << 1,
  /** Of base64 and base64url (RFC 4648), without padding. */
  base64: 1 << 2,
  space: 1 << 3,
  tab: 1 << 4,
  newline: 1 << 5,
  colon: 1 << 6,
  equals: 1 << 7,
  comma: 1 << 8,
  semicolon: 1 << 9,
  pipe: 1 << 10,
  doubleQuote: 1 << 11,
  /** Any of the three. */
  quote: 1 << 12,
  parenthesis: 1 << 13,
  less: 1 << 14,
  ampersand: 1 << 15,
  percent: 1 << 16,
  slash: 1 << 17,
  hyphen: 1 << 18,
  at: 1 << 19,
  /** Of those that make a word without digits look like a token. */
  tokenSign: 1 << 20,
  /** Everything outside ASCII. */
  beyondAscii: 1 << 21,
  /** Two spaces in a row. */
  gap: 1 << 22,
  greater: 1 << 23,
} as const;

const CODES = 128;
const TABLE = new Int32Array(CODES);
const SPELLED: readonly (readonly [number, string])[] = [
  [SIGN.digit, "0123456789"],
  [SIGN.capital, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"],
  [SIGN.base64, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"],
  [SIGN.space, " "],
  [SIGN.tab, "\t"],
  [SIGN.newline, "\n\r"],
  [SIGN.colon, ":"],
  [SIGN.equals, "="],
  [SIGN.comma, ","],
  [SIGN.semicolon, ";"],
  [SIGN.pipe, "|"],
  [SIGN.doubleQuote, '"'],
  [SIGN.quote, "\"'`"],
  [SIGN.parenthesis, "("],
  [SIGN.less, "<"],
  [SIGN.greater, ">"],
  [SIGN.ampersand, "&"],
  [SIGN.percent, "%"],
  [SIGN.slash, "/"],
  [SIGN.hyphen, "-"],
  [SIGN.at, "@"],
  [SIGN.tokenSign, "!#$%^&*+=?~@|{}"],
];
for (const [sign, characters] of SPELLED) {
  for (const character of characters) {
    const code = character.charCodeAt(0);
    TABLE[code] = (TABLE[code] ?? 0) | sign;
  }
}

const SPACE_CODE = 32;

export interface Signs {
  /** The bits of `SIGN` of all its characters. */
  readonly mask: number;
  readonly digits: number;
  /** The most characters in a row that base64 has. */
  readonly longestRun: number;
  /** The most characters in a row without a blank or a control character of ASCII. */
  readonly longestWord: number;
  /** The length of the word that the text ends with. */
  readonly lastWord: number;
}

export function signsOf(text: string): Signs {
  let mask = 0;
  let before = 0;
  let digits = 0;
  let longestRun = 0;
  let longestWord = 0;
  let run = 0;
  let word = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const sign = code < CODES ? (TABLE[code] ?? 0) : SIGN.beyondAscii;
    mask |= sign;
    digits += sign & SIGN.digit;
    if ((sign & SIGN.base64) === 0) {
      if (at - run > longestRun) longestRun = at - run;
      run = at + 1;
      if (code <= SPACE_CODE) {
        if (at - word > longestWord) longestWord = at - word;
        word = at + 1;
        if ((sign & before & SIGN.space) !== 0) mask |= SIGN.gap;
      }
    }
    before = sign;
  }
  const lastWord = text.length - word;
  return {
    mask,
    digits,
    longestRun: Math.max(longestRun, text.length - run),
    longestWord: Math.max(longestWord, lastWord),
    lastWord,
  };
}

/** Whether any of these signs stands in the text. */
export const hasAny = ({ mask }: Signs, signs: number): boolean => (mask & signs) !== 0;
