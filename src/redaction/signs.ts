/**
 * Which characters occur in a text. One pass shows which rules can find nothing in it: most texts are so plain that
 * hardly any rule has to read them. Pure.
 */

/** Characters, or classes of characters, without which certain rules find nothing. */
const CHARACTERS = {
  digit: "0123456789",
  capital: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  /** Letters of base64 and base64url (RFC 4648), without padding. */
  base64: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-",
  space: " ",
  tab: "\t",
  newline: "\n\r",
  colon: ":",
  equals: "=",
  comma: ",",
  semicolon: ";",
  pipe: "|",
  doubleQuote: '"',
  quote: "\"'`",
  parenthesis: "(",
  less: "<",
  greater: ">",
  ampersand: "&",
  percent: "%",
  slash: "/",
  hyphen: "-",
  at: "@",
  /** Signs that make a word without digits look like a token. */
  tokenSign: "!#$%^&*+=?~@|{}",
  beyondAscii: "",
  /** Two spaces in a row. */
  gap: "",
};

type SignName = keyof typeof CHARACTERS;

export const SIGN = Object.fromEntries(
  Object.keys(CHARACTERS).map((name, index) => [name, 1 << index]),
) as Readonly<Record<SignName, number>>;

const CODES = 128;
const TABLE = new Int32Array(CODES);
for (const [index, characters] of Object.values(CHARACTERS).entries()) {
  for (const character of characters) {
    const code = character.charCodeAt(0);
    TABLE[code] = (TABLE[code] ?? 0) | (1 << index);
  }
}

/** Constants of the loop over all characters. */
const { digit: DIGIT, base64: BASE64, space: SPACE, gap: GAP, beyondAscii: BEYOND_ASCII } = SIGN;
const SPACE_CODE = 32;

export interface Signs {
  readonly mask: number;
  readonly digits: number;
  /** Length of the longest run of base64 characters. */
  readonly longestRun: number;
  /** Length of the longest run without an ASCII space or control character. */
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
    const sign = code < CODES ? (TABLE[code] ?? 0) : BEYOND_ASCII;
    mask |= sign;
    digits += sign & DIGIT;
    if ((sign & BASE64) === 0) {
      if (at - run > longestRun) longestRun = at - run;
      run = at + 1;
      if (code <= SPACE_CODE) {
        if (at - word > longestWord) longestWord = at - word;
        word = at + 1;
        if ((sign & before & SPACE) !== 0) mask |= GAP;
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

export const hasAny = ({ mask }: Signs, signs: number): boolean => (mask & signs) !== 0;
