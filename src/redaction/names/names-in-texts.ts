/**
 * A first look at a whole text: whether any part of it could be the name of a secret. No rule that goes by names
 * finds anything in a text in which none could.
 *
 * It looks for the words by which names are told (`hints.ts`, `spelledOut`), whatever stands between their letters.
 * Where it cannot tell, as in other scripts, it says that one could. Each character is looked at once or twice. Pure.
 */
import { hasAny, SIGN, type Signs } from "../signs.ts";
import { FOREIGN_HINTS } from "./foreign.ts";
import { HINT, HINT_WORDS } from "./hints.ts";
import {
  type AutomatonWord,
  createLetterAutomaton,
  LETTERS,
  type LetterAutomaton,
  letterOf,
} from "./letter-automaton.ts";
import { JOINED_ENDS, JOINED_STARTS } from "./vocabulary.ts";
import { isAscii, lettersOf, SIGNS, wordsOf } from "./words.ts";

/** Which words a setting adds. */
export interface NamesSettings {
  readonly keys?: readonly string[];
}

/** Joined to what stands before them they count all the same: `dbpass`, `stripekey`. */
const ENDINGS = new Set([...JOINED_ENDS, "pw", "pat", "pass", "key", "keys"]);
/** Joined to what stands behind them: `pwdhash`. */
const BEGINNINGS = new Set(JOINED_STARTS);
/** English words that are no longer stand in many others, which are none: `sig` in `design`, `auth` in `author`. */
const LONGEST_WHOLE_ENGLISH = 4;
const WHOLE_FOREIGN = new Set(FOREIGN_HINTS.whole);
const LONGEST_WHOLE = Math.max(LONGEST_WHOLE_ENGLISH, ...FOREIGN_HINTS.whole.map((word) => word.length));
/** Besides those of `hints.ts`: longer forms of words that count only as whole ones. */
const LONGER_FORMS = ["keys", "authentication"];

/** Of words that count wherever they stand, their hints; a bit for those that count where a word ends. */
const ALL_HINTS = HINT.english | HINT.foreign | HINT.noun | HINT.kind;
const AT_END = ALL_HINTS + 1;
/** Of words that count as whole ones, by their length: the bit of the shortest, of one letter. */
const WHOLE = AT_END << 1;

function isWholeWord(letters: string, hint: number): boolean {
  if (hint === HINT.foreign) return WHOLE_FOREIGN.has(letters);
  return hint === HINT.english && letters.length <= LONGEST_WHOLE_ENGLISH && !BEGINNINGS.has(letters);
}

function bitsOf(letters: string, hint: number): number {
  if (!isWholeWord(letters, hint)) return hint;
  return ENDINGS.has(letters) ? AT_END : WHOLE << (letters.length - 1);
}

const WORDS: readonly AutomatonWord[] = [
  ...HINT_WORDS,
  ...LONGER_FORMS.map((letters) => ({ letters, hint: HINT.english })),
].map(({ letters, hint }) => ({ letters, bits: bitsOf(letters, hint) }));

/** A key or a code is one beside what makes it secret; every other word is one by itself. */
const isEnough = (hints: number): boolean =>
  (hints & (HINT.english | HINT.foreign)) !== 0 ||
  (hints & (HINT.noun | HINT.kind)) === (HINT.noun | HINT.kind);

const isLower = (code: number): boolean => code >= 97 && code <= 122;
const isAlphanumeric = (code: number): boolean =>
  isLower(code) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);

/** The place of the letter with which a word of so many letters begins that ends here. */
function beginningOf(text: string, end: number, length: number): number {
  let at = end;
  for (let left = length - 1; left > 0; ) {
    at -= 1;
    const letter = letterOf(text.charCodeAt(at));
    if (letter >= 0 && letter < LETTERS) left -= 1;
  }
  return at;
}

/** Whether a word that begins with this letter may be one by itself: `pin` in `PIN` and `myPin`, not in `shipping`. */
const mayBegin = (text: string, at: number): boolean =>
  !isLower(text.charCodeAt(at)) || !isAlphanumeric(text.charCodeAt(at - 1));

/** Whether one of these words, which end here, is a whole one. */
function isWhole(text: string, end: number, bits: number): boolean {
  for (let length = 1; length <= LONGEST_WHOLE; length += 1)
    if ((bits & (WHOLE << (length - 1))) !== 0 && mayBegin(text, beginningOf(text, end, length))) return true;
  return false;
}

/** Names that are longer may be cut by who reads them: then a word may begin or end where it does not in the text. */
const LONGEST_NAME = 60;
/** With these, a name may hold any character. */
const QUOTING = SIGN.quote | SIGN.less | SIGN.pipe | SIGN.tab | SIGN.gap | SIGN.newline | SIGN.parenthesis;

/** 1 for each character that stands in names where nothing quotes them. */
const IN_NAMES = new Uint8Array(128);
for (const sign of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$@%+[]- \u00a0")
  IN_NAMES[sign.charCodeAt(0)] = 1;

/** What `spelledOut` makes letters of, and which words it then looks for. */
const SPELLED = createLetterAutomaton(
  [
    ...["password", "passwd", "passwort", "passcode", "passphrase"],
    ...["secret", "apikey", "privatekey", "token"],
  ].map((letters) => ({ letters, bits: 1 })),
);
const LETTER_OF_SIGN = new Int8Array(128).fill(-1);
for (const [sign, letter] of Object.entries(SIGNS))
  LETTER_OF_SIGN[sign.charCodeAt(0)] = letterOf(letter.charCodeAt(0));

function mayBeSpelledOut(text: string): boolean {
  const { next, bits } = SPELLED;
  let state = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    let letter = letterOf(code);
    if (letter < 0 || letter >= LETTERS) letter = code < 128 ? (LETTER_OF_SIGN[code] ?? -1) : -1;
    if (letter < 0) continue;
    state = next[state * LETTERS + letter] ?? 0;
    if (bits[state] !== 0) return true;
  }
  return false;
}

/** What the characters beyond ASCII are to names: letters of ASCII, or nothing; undefined for those of other scripts. */
const FOLDED: (string | undefined)[] = [];
/** Beyond are the scripts in which nothing is folded to ASCII. */
const FOLDED_CODES = 0x3000;

function foldedOf(code: number): string | undefined {
  if (code >= FOLDED_CODES) return undefined;
  if (!(code in FOLDED)) {
    const letters = lettersOf(String.fromCharCode(code));
    FOLDED[code] = isAscii(letters) ? letters : undefined;
  }
  return FOLDED[code];
}

/** The text with letters of ASCII alone; undefined when it has letters that are none. */
function inAscii(text: string): string | undefined {
  let result = "";
  let done = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 128) continue;
    const folded = foldedOf(code);
    if (folded === undefined) return undefined;
    result += text.slice(done, at) + folded;
    done = at + 1;
  }
  return result + text.slice(done);
}

/** Whether any part of a text with these signs could be taken for the name of a secret. */
export type MayNameSecret = (text: string, signs: Signs) => boolean;

/** Makes the look of one redactor. */
export function createNamesInTexts({ keys = [] }: NamesSettings): MayNameSecret {
  const own = keys.map((key) =>
    wordsOf(key)
      .join("")
      .replace(/[^a-z]/g, ""),
  );
  // A name without a letter of ASCII could be anything.
  if (own.some((letters) => letters === "")) return () => true;
  const words = [...WORDS, ...own.map((letters) => ({ letters, bits: HINT.english }))];
  const automaton = createLetterAutomaton(words);
  return (text, signs) => {
    if (text.includes("[REDACTED:")) return true;
    const maySpell = hasAny(signs, SIGN.digit | SIGN.tokenSign);
    if (!hasAny(signs, SIGN.beyondAscii)) {
      const isCut = signs.longestWord > LONGEST_NAME || hasAny(signs, SIGN.gap);
      const isQuoted = hasAny(signs, QUOTING);
      return mayHint(automaton, text, isCut, isQuoted) || (maySpell && mayBeSpelledOut(text));
    }
    const folded = inAscii(text);
    return (
      folded === undefined ||
      mayHint(automaton, folded, true, true) ||
      (maySpell && mayBeSpelledOut(text.toLowerCase()))
    );
  };
}

/**
 * @param isCut whether words may begin and end anywhere
 * @param isQuoted whether names may hold any character
 */
function mayHint({ next, bits }: LetterAutomaton, text: string, isCut: boolean, isQuoted: boolean): boolean {
  let state = 0;
  let found = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const letter = letterOf(code);
    if (letter < 0 || letter >= LETTERS) {
      if (!isQuoted && IN_NAMES[code] !== 1) found = 0;
      continue;
    }
    state = next[state * LETTERS + letter] ?? 0;
    const ended = bits[state] ?? 0;
    if (ended === 0) continue;
    found |= ended & ALL_HINTS;
    if (isEnough(found)) return true;
    if (ended <= ALL_HINTS || (!isCut && isLower(text.charCodeAt(at + 1)))) continue;
    if (isCut || (ended & AT_END) !== 0 || isWhole(text, at, ended)) return true;
  }
  return false;
}
