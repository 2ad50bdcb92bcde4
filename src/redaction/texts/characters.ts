/** Classes of characters, by UTF-16 code. Tables, not patterns, because every character of a text is looked up. */

/** Ranges of punctuation, arrows and symbols beyond ASCII. All other characters beyond ASCII may occur in names. */
const SIGNS =
  "80-a9 ab-ac ae-b4 b6-b9 bb-bf d7 f7 2000-200a 2010-205f 2190-2bff 3000-3004 3008-3020 d83c-d83e dc00-dfff fe00-fe0f ff00-ff0f ff1a-ff20";

/** 1 for each code that may occur in a name. */
const NAMES = new Uint8Array(0x10000);
NAMES.fill(1, 0x80);
for (const range of SIGNS.split(" ")) {
  const [from = 0, to = from] = range.split("-").map((code) => Number.parseInt(code, 16));
  NAMES.fill(0, from, to + 1);
}
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$@-")
  NAMES[character.charCodeAt(0)] = 1;

export const isNameCode = (code: number): boolean => NAMES[code] === 1;

const BLANKS = new Uint8Array(0x10000).fill(1, 0x2000, 0x200b);
for (const code of [9, 32, 0xa0, 0x202f, 0x3000]) BLANKS[code] = 1;

/** Blanks within a line, including no-break, fixed-width and ideographic spaces. */
export const isBlankCode = (code: number): boolean => BLANKS[code] === 1;

export const isLineEndCode = (code: number): boolean => code === 10 || code === 13;

export const isQuoteCode = (code: number): boolean => code === 34 || code === 39 || code === 96;

export function afterBlanks(text: string, from: number, limit = 100): number {
  let at = from;
  while (at - from < limit && isBlankCode(text.charCodeAt(at))) at += 1;
  return at;
}

export function beforeBlanks(text: string, to: number, limit = 100): number {
  let at = to;
  while (at > 0 && to - at < limit && isBlankCode(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

/** Matches a pattern with the flag `y` at one place. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
