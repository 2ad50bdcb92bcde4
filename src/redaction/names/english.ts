/** English names: which words make a name a secret's, and which other words undo that. */
import * as vocabulary from "./vocabulary.ts";

/** How certain it is that a name's value is secret. No setting exempts names of the baseline. */
export type Secrecy = "none" | "allowable" | "baseline";

/** No unit is made of more words: `one time password`, `card verification value`. */
const MAX_WORDS = 4;
const LONGEST_END = Math.max(...[...vocabulary.JOINED_ENDS].map((word) => word.length));
const LONGEST_START = Math.max(...[...vocabulary.JOINED_STARTS].map((word) => word.length));
/** Long enough to be recognized inside any word. */
const INSIDE = /password|passwd|passphrase|apikey|privatekey|secretkey|accesstoken/;
const MAX_JOINED = 64;
/** Kubernetes: `existingSecret`, `imagePullSecrets` name an object that holds secrets. */
const NOT_SECRET_BEFORE = new Set(["existing", "pull"]);

/** The first letters of all units, which rule most words out. */
const UNIT_STARTS = new Set(
  [...vocabulary.BASELINE_ANYWHERE, ...vocabulary.ANYWHERE].map((unit) => unit.slice(0, 2)),
);

function mayBeginUnit(words: readonly string[], from: number): boolean {
  const word = words[from] ?? "";
  const start = word.length >= 2 ? word : words.slice(from, from + MAX_WORDS).join("");
  return UNIT_STARTS.has(start.slice(0, 2));
}

const isUnit = (word: string): boolean =>
  vocabulary.BASELINE_ANYWHERE.has(word) || vocabulary.ANYWHERE.has(word);
const isOwner = (word: string): boolean => vocabulary.OWNERS.has(word) || vocabulary.PROVIDERS.has(word);
const isKey = (word: string | undefined): boolean => word === "key" || word === "keys";
/** Whether `key` after this word is secret, at least as the last word. */
const isKindOfKey = (word: string): boolean =>
  vocabulary.KEYS_LAST.has(word) || vocabulary.PROVIDERS.has(word);
const isNumber = (word: string): boolean => /^\d/.test(word);

/** The words of a compound: `githubtoken`, `dbpass`, `sshkey`, `tokenid`. */
function splitCompound(word: string): readonly string[] {
  if (word.length < 5 || word.length > MAX_JOINED || isUnit(word) || vocabulary.OTHER_WORDS.has(word))
    return [word];
  for (let length = Math.min(LONGEST_END, word.length - 1); length >= 3; length -= 1) {
    const end = word.slice(-length);
    if (vocabulary.JOINED_ENDS.has(end)) return [word.slice(0, -length), end];
  }
  const [, kind = "", key = ""] = /^(.{2,24}?)(keys?)$/.exec(word) ?? [];
  if (vocabulary.KEYS_ANYWHERE.has(kind) || isKindOfKey(kind)) return [kind, key];
  const [, owner = "", short = ""] = /^(.{2,24})(pass|pw|pat)$/.exec(word) ?? [];
  if (isOwner(owner)) return [owner, short];
  for (let length = Math.min(LONGEST_START, word.length - 2); length >= 3; length -= 1) {
    const start = word.slice(0, length);
    if (!vocabulary.JOINED_STARTS.has(start)) continue;
    const rest = word.slice(length);
    if (vocabulary.ABOUT.has(rest) || vocabulary.SUFFIXES.has(rest) || isOwner(rest) || isNumber(rest))
      return [start, rest];
  }
  const inside = INSIDE.exec(word);
  if (inside === null) return [word];
  const behind = inside.index + inside[0].length;
  return [word.slice(0, inside.index), inside[0], word.slice(behind)].filter((part) => part !== "");
}

interface Unit {
  readonly from: number;
  readonly to: number;
  readonly secrecy: Secrecy;
  readonly isToken: boolean;
}

function unitAt(words: readonly string[], from: number): Unit | undefined {
  if (isKey(words[from + 1]) && vocabulary.KEYS_ANYWHERE.has(words[from] ?? ""))
    return { from, to: from + 2, secrecy: "baseline", isToken: false };
  if (!mayBeginUnit(words, from)) return undefined;
  for (let count = Math.min(MAX_WORDS, words.length - from); count >= 1; count -= 1) {
    const joined = count === 1 ? (words[from] ?? "") : words.slice(from, from + count).join("");
    if (joined.length > 32 || !isUnit(joined)) continue;
    const secrecy = vocabulary.BASELINE_ANYWHERE.has(joined) ? "baseline" : "allowable";
    return { from, to: from + count, secrecy, isToken: joined === "token" };
  }
  return undefined;
}

function lastUnit(words: readonly string[]): Unit | undefined {
  let found: Unit | undefined;
  for (let from = 0; from < words.length; ) {
    const unit = unitAt(words, from);
    if (unit !== undefined) found = unit;
    from = unit?.to ?? from + 1;
  }
  return found;
}

/** Whether the words after it name something about a secret: `tokenExpiresIn`, `passwordPolicy`, `apiKeyName`. */
function isOnlyAbout(words: readonly string[], to: number): boolean {
  const behind = words.slice(to);
  const preposition = behind.findIndex((word) => vocabulary.PREPOSITIONS.has(word));
  const about = (preposition < 0 ? behind : behind.slice(0, preposition)).filter(
    (word) => !vocabulary.SUFFIXES.has(word) && !isNumber(word),
  );
  const first = about[0] ?? "";
  const last = about.at(-1) ?? "";
  if (vocabulary.LINKS.has(last) && words.some((word) => vocabulary.OPENING.has(word))) return false;
  return vocabulary.ABOUT.has(first) || vocabulary.ABOUT.has(last);
}

function withoutSuffixes(words: readonly string[]): readonly string[] {
  let end = words.length;
  while (end > 1 && (vocabulary.SUFFIXES.has(words[end - 1] ?? "") || isNumber(words[end - 1] ?? "")))
    end -= 1;
  return words.slice(0, end);
}

/** `STRIPE_KEY`, `tls.key`, `GH_PAT`, `mfa otp`: secret as the last word only. */
function lastWordSecrecy(all: readonly string[], isUpperCase: boolean): Secrecy {
  const words = withoutSuffixes(all);
  const last = words.at(-1) ?? "";
  const before = words.at(-2) ?? "";
  if (isKey(last) && words.length > 1) {
    if (vocabulary.KEYS_BASELINE_LAST.has(before)) return "baseline";
    const isAnyKind = isUpperCase && !vocabulary.PLAIN_KEYS.has(before) && !vocabulary.ABOUT.has(before);
    return isAnyKind || isKindOfKey(before) ? "allowable" : "none";
  }
  if (last === "pat" && words.length > 1)
    return isUpperCase || vocabulary.TOKEN_OWNERS.has(before) || vocabulary.PROVIDERS.has(before)
      ? "allowable"
      : "none";
  if (last === "sk" && vocabulary.PROVIDERS.has(before)) return "allowable";
  if (last === "pin" && vocabulary.PLAIN_PINS.has(before)) return "none";
  if (vocabulary.BASELINE_LAST.has(last)) return "baseline";
  if (vocabulary.LAST.has(last)) return "allowable";
  // All words count here: `admin` in `pass_admin` is the owner.
  return all.length > 1 && all[0] === "pass" && all.slice(1).every(isOwner) ? "allowable" : "none";
}

const isPublicKey = (words: readonly string[]): boolean => isKey(words.at(-1)) && words.at(-2) === "public";

/** The words of a name, with compounds split (`dbpass` → `db`, `pass`). */
export function splitCompounds(words: readonly string[]): readonly string[] {
  const parts = words.flatMap(splitCompound);
  return parts.length === words.length ? words : parts;
}

/** @param words of the name, split by `splitCompounds` */
export function secrecyInEnglish(words: readonly string[], isUpperCase: boolean): Secrecy {
  if (isPublicKey(words)) return "none";
  const unit = lastUnit(words);
  const isSwitch = words.length > 1 && vocabulary.SWITCHES.has(words[0] ?? "");
  if (unit !== undefined && !(isSwitch && unit.from > 0)) {
    const before = words[unit.from - 1] ?? "";
    const isPlain = unit.isToken && vocabulary.PLAIN_TOKENS.has(before);
    if (!isPlain && !NOT_SECRET_BEFORE.has(before) && !isOnlyAbout(words, unit.to)) return unit.secrecy;
    if (unit.to === words.length) return "none";
  }
  return isSwitch ? "none" : lastWordSecrecy(words, isUpperCase);
}
