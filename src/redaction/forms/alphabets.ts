/**
 * The alphabets of tokens: a letter stands for each in the notation of the tables. A character's alphabets
 * are the bits of one number, so that "is it one of these?" is one look-up.
 */
const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const WORD = DIGITS + LOWER + UPPER;

const ALPHABETS = {
  /** Digits. */
  d: DIGITS,
  /** Hexadecimal, in small letters. */
  h: `${DIGITS}abcdef`,
  /** Hexadecimal, in any case. */
  H: `${DIGITS}abcdefABCDEF`,
  /** Digits and small letters. */
  l: DIGITS + LOWER,
  /** Digits and capitals. */
  u: DIGITS + UPPER,
  /** Letters. */
  a: LOWER + UPPER,
  /** Letters and digits. */
  w: WORD,
  /** … and the underscore. */
  x: `${WORD}_`,
  /** … and the hyphen. */
  y: `${WORD}-`,
  /** base64url without padding (RFC 4648 section 5). */
  v: `${WORD}_-`,
  /** base64url and dots. */
  t: `${WORD}_-.`,
  /** base64url with padding. */
  e: `${WORD}_-=`,
  /** base64url with padding and dots. */
  q: `${WORD}_-=.`,
  /** base64 without padding (RFC 4648 section 4). */
  b: `${WORD}+/`,
  /** Either base64, with padding. */
  B: `${WORD}+/_-=`,
  /** Unreserved in a URL (RFC 3986 section 2.3). */
  p: `${WORD}_-.~`,
  /** base64 in a URL: signs may be percent-encoded. */
  r: `${WORD}+/_-=%.`,
  /** bcrypt and crypt. */
  c: `${WORD}./`,
  /** Modular crypt in all its fields. */
  k: `${WORD}./+=,-`,
  /** What may be in the path of a URL. */
  g: `${WORD}_-./@%`,
} as const;

const NAMES = Object.keys(ALPHABETS);
const CODES = 128;

/** For each ASCII character, the bits of the alphabets that it is in. */
const BITS = new Int32Array(CODES);
for (const [index, characters] of Object.values(ALPHABETS).entries()) {
  for (const character of characters) {
    const code = character.charCodeAt(0);
    BITS[code] = (BITS[code] ?? 0) | (1 << index);
  }
}

/** The number of an alphabet; -1 when the letter names none. */
export const numberOfAlphabet = (name: string): number => NAMES.indexOf(name);
export const alphabetCount = NAMES.length;

/** The characters of an alphabet, by its number. */
export const charactersOf = (alphabet: number): string => Object.values(ALPHABETS)[alphabet] ?? "";

export const isIn = (code: number, alphabet: number): boolean =>
  code < CODES && ((BITS[code] ?? 0) & (1 << alphabet)) !== 0;

const WORD_ALPHABET = numberOfAlphabet("w");
/** A letter or digit of ASCII. */
export const isWordCode = (code: number): boolean => isIn(code, WORD_ALPHABET);
