/** Names in other languages, compiled from their table: which words of them make a value secret. */
import { ABOUT_IN_OTHER_SCRIPTS, LANGUAGES } from "./languages.ts";
import { ABOUT, KEYS_ANYWHERE, SUFFIXES } from "./vocabulary.ts";
import { fold } from "./words.ts";

/** No phrase for a password has more words. */
const MAX_WORDS = 5;
/** Long words are also recognized inside compounds: `hoofdwachtwoord`, `passwortneu`. */
const MIN_IN_COMPOUND = 7;
/** The most letters that a `*` may match. */
const MAX_ENDING = 4;
const LONGEST = 24;
const MAX_JOINED = 48;

type Languages = Map<string, Set<string>>;

const exact = new Set<string>();
const stems = new Set<string>();
const last = new Set<string>();
const keys: Languages = new Map();
const codes: Languages = new Map();
const kinds: Languages = new Map();
const parts: string[] = [];
/** Words of sentences that state a code: its owner (`your`) and the verb (`is`), folded. */
const owners = new Set<string>();
const verbs = new Set<string>();

const listed = (text: string | undefined): string[] =>
  (text ?? "")
    .split(",")
    .map((word) => fold(word).replace(/[^\p{L}\p{M}\p{N}*]/gu, ""))
    .filter((word) => word !== "");

const add = (to: Languages, word: string, language: string): Languages =>
  to.set(word, (to.get(word) ?? new Set<string>()).add(language));

const isLatin = (word: string): boolean => /^[a-z0-9*]+$/.test(word);

for (const [language, { secret, last: lastWords, key, code, of, your, is }] of Object.entries(LANGUAGES)) {
  for (const word of listed(secret)) {
    if (word.endsWith("*")) {
      stems.add(word.slice(0, -1));
      exact.add(word.slice(0, -1));
    } else if (isLatin(word)) exact.add(word);
    else parts.push(word);
  }
  for (const word of listed(lastWords)) isLatin(word) ? last.add(word) : parts.push(word);
  for (const word of listed(key).flatMap(withEndings)) add(keys, word, language);
  for (const word of listed(code).flatMap(withEndings)) add(codes, word, language);
  for (const word of listed(of)) add(kinds, word, language);
  for (const word of listed(your)) owners.add(word);
  for (const word of listed(is)) verbs.add(word);
}

/** The word with each common ending: few enough to be entries of their own. */
function withEndings(word: string): string[] {
  const endings = word.endsWith("*") ? " en er a i u n ni nin si et om s".split(" ") : [""];
  return endings.map((ending) => word.replace("*", "") + ending);
}

/** Longest first, so that a phrase is found before its part. */
const alternatives = (list: readonly string[]): string =>
  [...new Set(list)].sort((a, b) => b.length - a.length).join("|");
const PART = new RegExp(alternatives(parts), "u");
const ABOUT_PART = new RegExp(alternatives(listed(ABOUT_IN_OTHER_SCRIPTS)), "u");
const otherScript = (table: Languages): [string, Set<string>][] =>
  [...table].filter(([word]) => !isLatin(word));
const KEY_PARTS = otherScript(new Map([...keys, ...codes]));
const KIND_PARTS = otherScript(kinds);
const KEY_PART = new RegExp(alternatives(KEY_PARTS.map(([word]) => word)), "u");

function share(one: Set<string> | undefined, other: Set<string> | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  for (const language of one) if (other.has(language)) return true;
  return false;
}

/** True for the words after `passwort` in `passwortType`, false for those in `passwortHash`. */
const isAbout = (words: readonly string[]): boolean => {
  const rest = words.filter((word) => !SUFFIXES.has(word));
  return ABOUT.has(rest[0] ?? "") || ABOUT.has(rest.at(-1) ?? "");
};

/** `salasanani`, `hoofdwachtwoord`, `passwortneu`. */
function holdsSecret(word: string): boolean {
  if (exact.has(word)) return true;
  for (let ending = 1; ending <= MAX_ENDING && word.length - ending >= 4; ending += 1)
    if (stems.has(word.slice(0, -ending))) return true;
  const longest = Math.min(LONGEST, word.length - 1);
  for (let length = MIN_IN_COMPOUND; length <= longest; length += 1) {
    if (exact.has(word.slice(-length))) return true;
    if (exact.has(word.slice(0, length)) && !ABOUT.has(word.slice(length))) return true;
  }
  return false;
}

/** `chave` beside `api`, `código` beside `segurança`; also in one word, with an s between: `apisleutel`. */
function isKeyOfKind(noun: Set<string> | undefined, kind: string, isKey: boolean): boolean {
  return (
    share(noun, kinds.get(kind)) ||
    share(noun, kinds.get(kind.replace(/s$/, ""))) ||
    (isKey && noun !== undefined && KEYS_ANYWHERE.has(kind))
  );
}

function holdsKeyOfKind(words: readonly string[]): boolean {
  for (const [at, word] of words.entries()) {
    if (word.length > MAX_JOINED) continue;
    for (const table of [keys, codes]) {
      const isKey = table === keys;
      const noun = table.get(word);
      if (noun !== undefined)
        for (let near = Math.max(0, at - 3); near <= at + 3 && near < words.length; near += 1)
          if (near !== at && isKeyOfKind(noun, words[near] ?? "", isKey)) return true;
      const longest = Math.min(LONGEST, word.length - 3);
      for (let length = 3; length <= longest; length += 1) {
        const end = table.get(word.slice(-length));
        if (end !== undefined && isKeyOfKind(end, word.slice(0, -length), isKey)) return true;
        const start = table.get(word.slice(0, length));
        if (start !== undefined && isKeyOfKind(start, word.slice(length), isKey)) return true;
      }
    }
  }
  return false;
}

/** Folded words of sentences that state a code. */
export const isOwnersWord = (word: string): boolean => owners.has(word);
export const isVerb = (word: string): boolean => verbs.has(word);
/** The verbs as people write them, with accents. */
export const VERBS = [...new Set(Object.values(LANGUAGES).flatMap(({ is }) => is?.split(", ") ?? []))];
export const isCodeNoun = (word: string): boolean =>
  /^(?:(?:pass)?codes?|otp|m?tan|pin|puk)$/.test(word) || codes.has(word) || last.has(word);

export const FOREIGN_HINTS = {
  words: [...exact, ...stems, ...last],
  nouns: [...keys.keys(), ...codes.keys()].filter(isLatin),
  kinds: [...kinds.keys(), ...KEYS_ANYWHERE].filter(isLatin),
};

/** `chave_api`, `código de segurança`. Words in Latin letters, folded. */
export const isKeyInLatin = (words: readonly string[]): boolean =>
  holdsKeyOfKind(words) && !isAbout(words.slice(1));

/** `contraseña`, `mot_de_passe`. Words in Latin letters, folded. */
export function isSecretInLatin(words: readonly string[]): boolean {
  if (last.has(words.at(-1) ?? "")) return true;
  for (let from = 0; from < words.length; from += 1) {
    let phrase = "";
    for (let to = from; to < words.length && to < from + MAX_WORDS; to += 1) {
      phrase += words[to];
      const isFound = to === from ? holdsSecret(phrase) : phrase.length <= LONGEST && exact.has(phrase);
      if (isFound) return !isAbout(words.slice(to + 1));
    }
  }
  return false;
}

/** Latin letters used in Cyrillic words in place of Cyrillic letters that look the same. */
const CYRILLIC: Readonly<Record<string, string>> = Object.fromEntries(
  "aа cс eе kк mм oо pр tт xх yу".split(" ").map((pair) => [...pair]),
);
const inCyrillic = (joined: string): string =>
  /[а-я][a-z]|[a-z][а-я]/.test(joined)
    ? joined.replace(/[acekmoptxy]/g, (letter) => CYRILLIC[letter] ?? letter)
    : joined;

/** Other scripts, where words are not separated: the folded name without separators. */
export function isSecretInOtherScript(joined: string): boolean {
  const cyrillic = inCyrillic(joined);
  return (
    (PART.test(joined) || (cyrillic !== joined && PART.test(cyrillic)) || isKeyInOtherScript(joined)) &&
    !ABOUT_PART.test(joined)
  );
}

/** `ключ api`, `安全码`: a key or a code, with a word for its kind beside it. */
function isKeyInOtherScript(joined: string): boolean {
  if (!KEY_PART.test(joined)) return false;
  const latin = joined.match(/[a-z]+/g) ?? [];
  if (latin.some((word) => KEYS_ANYWHERE.has(word))) return true;
  const kindsHere = KIND_PARTS.filter(([kind]) => joined.includes(kind));
  if (kindsHere.length === 0) return false;
  return KEY_PARTS.some(
    ([noun, languages]) =>
      joined.includes(noun) && kindsHere.some(([kind, others]) => kind !== noun && share(languages, others)),
  );
}
