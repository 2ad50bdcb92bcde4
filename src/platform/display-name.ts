/**
 * Names of nodes and workflows are written by strangers. Before one is used in our sentences, guidance or candidates,
 * its length is limited here, and control, bidirectional and invisible characters are removed. Lookups also match a
 * name by its displayed form, so that a name can be requested as it was shown.
 */

/** Enough to recognize a node, too short for instructions to a model. */
const MAX_SHOWN = 80;
/** The longest name that an argument accepts. */
export const MAX_NAME = 256;

/** Invisible: format characters (bidi, zero-width, tags), variation selectors, fillers (Unicode, UAX #44). */
const IGNORABLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]+/gu;
/** Control, private-use, unassigned, lone surrogates, line separators, and the blank of braille. */
const UNSHOWN = /[\p{C}\p{Zl}\p{Zp}\u2800]+/gu;

/** What a secret can look like at a cut: a word of ASCII, or groups of digits. */
const END_OF_WORD = /(?:[!-~]+|\d[\d -]*)$/;
const BEGIN_OF_WORD = /^[!-~]+|^[ -]?\d[\d -]*/;
/** Characters that do not occur in ordinary words. */
const SIGN_OF_SECRET = /[\d:=@]/;
/** Shorter words cannot be secrets recognized by their form. */
const MIN_SECRET = 12;

function bounded(text: string, length: number): string {
  const characters = [...text];
  if (characters.length <= length) return text;
  const kept = characters.slice(0, length - 1).join("");
  return `${withoutHalfASecret(kept, text.slice(kept.length))}…`;
}

/** Redaction runs later and does not recognize half a secret, so a word that may be one is kept whole or dropped. */
function withoutHalfASecret(kept: string, rest: string): string {
  const [end = ""] = END_OF_WORD.exec(kept) ?? [];
  const [begin = ""] = BEGIN_OF_WORD.exec(rest) ?? [];
  const word = end + begin;
  const mayBeSecret = begin !== "" && word.length >= MIN_SECRET && SIGN_OF_SECRET.test(word);
  return mayBeSecret ? kept.slice(0, kept.length - end.length).trimEnd() : kept;
}

/** The visible form of the name, for use as an argument. */
export function visibleName(name: string): string {
  const clean = name.replace(IGNORABLE, "").replace(UNSHOWN, " ").replace(/\s+/g, " ").trim();
  return bounded(clean, MAX_NAME);
}

/** The name as it is stored: unchanged, unless it is longer than an argument may be. */
export const keptName = <Name extends string | null>(name: Name): Name | string =>
  name !== null && name.length > MAX_NAME ? visibleName(name) : name;

/** The name, short, for a sentence. */
export const displayName = (name: string): string => bounded(visibleName(name), MAX_SHOWN);

export const quoted = (name: string): string => `"${displayName(name).replaceAll('"', "'")}"`;

/** The exact name, else the only one that looks the same (shortened or in full). */
export function findName(given: string, names: Iterable<string>): string | undefined {
  const all = [...names];
  if (all.includes(given)) return given;
  const shown = visibleName(given);
  const alike = all.filter((name) => visibleName(name) === shown || displayName(name) === shown);
  return alike.length === 1 ? alike[0] : undefined;
}
