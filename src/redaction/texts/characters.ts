/** Classes of characters, by their UTF-16 code. Asked for every character of a text: tables, not patterns. */

/** From, to: punctuation, arrows and symbols beyond ASCII. Letters of all scripts and what joins them are names. */
const SIGNS: readonly (readonly [number, number])[] = [
  [0x80, 0xa9],
  [0xab, 0xac],
  [0xae, 0xb4],
  [0xb6, 0xb9],
  [0xbb, 0xbf],
  [0xd7, 0xd7],
  [0xf7, 0xf7],
  [0x2000, 0x200a],
  [0x2010, 0x205f],
  [0x2190, 0x2bff],
  [0x3000, 0x3004],
  [0x3008, 0x3020],
  [0xd83c, 0xd83e],
  [0xdc00, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xff00, 0xff0f],
  [0xff1a, 0xff20],
];

/** 1 for each code that may stand in a name. */
const NAMES = new Uint8Array(0x10000);
NAMES.fill(1, 0x80);
for (const [from, to] of SIGNS) NAMES.fill(0, from, to + 1);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$@-") {
  NAMES[character.charCodeAt(0)] = 1;
}

/** May stand in a name: letters, digits, `_`, `.`, `$`, `@`, `-`. */
export function isNameCode(code: number): boolean {
  return NAMES[code] === 1;
}

/** Blank within a line: also without a break, of a fixed width, and ideographic. */
export function isBlankCode(code: number): boolean {
  return (
    code === 32 ||
    code === 9 ||
    code === 0xa0 ||
    code === 0x3000 ||
    code === 0x202f ||
    (code >= 0x2000 && code <= 0x200a)
  );
}

export function isLineEndCode(code: number): boolean {
  return code === 10 || code === 13;
}

export function isQuoteCode(code: number): boolean {
  return code === 34 || code === 39 || code === 96;
}

/** The place after the blanks, of which there may be so many. */
export function afterBlanks(text: string, from: number, limit = 100): number {
  let at = from;
  while (at - from < limit && isBlankCode(text.charCodeAt(at))) at += 1;
  return at;
}

/** The place before the blanks that end here. */
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
