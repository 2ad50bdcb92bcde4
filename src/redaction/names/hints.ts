/**
 * A first look at a name: whether it can contain a word of the vocabulary at all. For most names, one walk through a
 * table of letters rules that out. Linear in the length of the name. Pure.
 */
import { FOREIGN_HINTS } from "./foreign.ts";
import { ANYWHERE, BASELINE_ANYWHERE, BASELINE_LAST, LAST } from "./vocabulary.ts";

/** What a name could contain: English words, words of other languages, a noun for key or code, or its kind. */
export const HINT = { english: 1, foreign: 2, noun: 4, kind: 8 } as const;

const LENGTH = 6;
const LETTERS = 26;
const MAX_NODES = 8_192;
/** Short words occur inside many others (`shipping`, `design`, `path`): they count only where a word ends. */
const AT_WORD_END = 64;

const SHORT = new Set("pw pat pin sig otp psk puk wif jws jwe cvn cred hmac tgt sk tok".split(" "));

const next = new Uint16Array(MAX_NODES * LETTERS);
const hints = new Uint8Array(MAX_NODES);
let nodes = 1;

function add(word: string, hint: number): void {
  const letters = word.replace(/[^a-z]/g, "").slice(0, LENGTH);
  if (letters.length < 2) return;
  let node = 0;
  for (let at = 0; at < letters.length; at += 1) {
    const edge = node * LETTERS + letters.charCodeAt(at) - 97;
    if (next[edge] === 0) {
      next[edge] = nodes;
      nodes += 1;
    }
    node = next[edge] ?? 0;
  }
  hints[node] = (hints[node] ?? 0) | hint | (SHORT.has(word) ? AT_WORD_END : 0);
}

const ENGLISH = "key token tok pass pw pat sk auth credential runtimedata pushref staticdata pindata".split(
  " ",
);
for (const words of [BASELINE_ANYWHERE, ANYWHERE, BASELINE_LAST, LAST, ENGLISH])
  for (const word of words) add(word, HINT.english);
for (const word of FOREIGN_HINTS.words) add(word, HINT.foreign);
for (const word of FOREIGN_HINTS.nouns) add(word, HINT.noun);
for (const word of FOREIGN_HINTS.kinds) add(word, HINT.kind);

/** Code of a letter, counted from `a`; outside 0 to 25 for other characters. */
const letterAt = (name: string, at: number): number => (name.charCodeAt(at) | 32) - 97;
const isLower = (code: number): boolean => code >= 97 && code <= 122;

/** Whether the word continues here: `path` for `pat`; but `PATold` and `patOld` end. */
const continuesWord = (name: string, at: number): boolean =>
  isLower(name.charCodeAt(at)) ||
  (!isLower(name.charCodeAt(at - 1)) && letterAt(name, at) >= 0 && letterAt(name, at) < LETTERS);

/** What the Latin letters of a name could contain, as a sum of `HINT`. */
export function hintsIn(name: string): number {
  let found = 0;
  for (let from = 0; from < name.length; from += 1) {
    let node = 0;
    for (let at = from; at < name.length; at += 1) {
      const letter = letterAt(name, at);
      if (letter < 0 || letter >= LETTERS) {
        if (at === from) break;
        continue;
      }
      node = next[node * LETTERS + letter] ?? 0;
      if (node === 0) break;
      const hint = hints[node] ?? 0;
      if (hint === 0) continue;
      if (hint < AT_WORD_END || !continuesWord(name, at + 1)) found |= hint;
    }
  }
  return found & (AT_WORD_END - 1);
}
