/**
 * Names of nodes and workflows are written by strangers. Wherever one reaches a sentence, guidance or
 * candidates of ours it passes here: bounded in length, without control, bidirectional and invisible
 * characters. Where a name is looked for, one that shows alike is taken for it, so that what was shown can
 * be asked for.
 */

/** Enough to know a node by, and too short for a speech. */
const MAX_SHOWN = 80;
/** No argument takes a longer one. */
const MAX_NAME = 256;

/** Takes no room: format characters (bidi, zero-width, tags), variation selectors, fillers (Unicode, UAX #44). */
const IGNORABLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]+/gu;
/** Control, private-use, unassigned, lone surrogates, line separators, and the blank of braille. */
const UNSHOWN = /[\p{C}\p{Zl}\p{Zp}\u2800]+/gu;

function bounded(text: string, length: number): string {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length - 1).join("")}…` : text;
}

/** The name as it shows, for a call that is to be made with it. */
export function visibleName(name: string): string {
  const clean = name.replace(IGNORABLE, "").replace(UNSHOWN, " ").replace(/\s+/g, " ").trim();
  return bounded(clean, MAX_NAME);
}

/** The name, short, for a sentence. */
export function displayName(name: string): string {
  return bounded(visibleName(name), MAX_SHOWN);
}

/** The name in quotes, for a sentence. */
export function quoted(name: string): string {
  return `"${displayName(name).replaceAll('"', "'")}"`;
}

/** The name that was meant: the same, else the only one that shows alike (short or in full). */
export function findName(wanted: string, names: Iterable<string>): string | undefined {
  const all = [...names];
  if (all.includes(wanted)) return wanted;
  const shown = visibleName(wanted);
  const alike = all.filter((name) => visibleName(name) === shown || displayName(name) === shown);
  return alike.length === 1 ? alike[0] : undefined;
}
