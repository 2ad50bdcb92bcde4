/**
 * The alphabets of tokens, each named by a letter in the notation of the tables. A character's alphabets are the bits
 * of one number, so that one look-up tells whether it belongs to an alphabet.
 */
const ALPHABETS = new Map(
  `
d 0-9
h 0-9a-f
H 0-9a-fA-F
l 0-9a-z
u 0-9A-Z
a a-zA-Z
w 0-9a-zA-Z
x 0-9a-zA-Z_
y 0-9a-zA-Z-
v 0-9a-zA-Z_- base64url without padding (RFC 4648 section 5)
t 0-9a-zA-Z_-.
e 0-9a-zA-Z_-= base64url with padding
q 0-9a-zA-Z_-=.
b 0-9a-zA-Z+/ base64 without padding (RFC 4648 section 4)
B 0-9a-zA-Z+/_-= either base64, with padding
p 0-9a-zA-Z_-.~ unreserved in a URL (RFC 3986 section 2.3)
r 0-9a-zA-Z+/_-=%. base64 in a URL, whose signs may be percent-encoded
c 0-9a-zA-Z./ bcrypt and crypt
k 0-9a-zA-Z./+=,- modular crypt in all its fields
g 0-9a-zA-Z_-./@% the path of a URL
`
    .trim()
    .split("\n")
    .map((row) => [row.slice(0, 1), expanded(row.split(" ")[1] ?? "")]),
);

/** The characters of ranges, as a class of a regular expression has them. */
function expanded(ranges: string): string {
  return ranges.replace(/(\w)-(\w)/g, (_range, first: string, last: string) => {
    const from = first.charCodeAt(0);
    const codes = Array.from({ length: last.charCodeAt(0) - from + 1 }, (_, index) => from + index);
    return String.fromCharCode(...codes);
  });
}

const NAMES = [...ALPHABETS.keys()];
const CHARACTERS = [...ALPHABETS.values()];
const CODES = 128;

const BITS = new Int32Array(CODES);
for (const [index, characters] of CHARACTERS.entries()) {
  for (const character of characters) {
    const code = character.charCodeAt(0);
    BITS[code] = (BITS[code] ?? 0) | (1 << index);
  }
}

/** The number of an alphabet; -1 when the letter names none. */
export const numberOfAlphabet = (name: string): number => NAMES.indexOf(name);
export const alphabetCount = NAMES.length;

export const charactersOf = (alphabet: number): string => CHARACTERS[alphabet] ?? "";

export const isIn = (code: number, alphabet: number): boolean =>
  code < CODES && ((BITS[code] ?? 0) & (1 << alphabet)) !== 0;

const WORD_ALPHABET = numberOfAlphabet("w");
export const isWordCode = (code: number): boolean => isIn(code, WORD_ALPHABET);
