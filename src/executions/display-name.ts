/**
 * Names of nodes and workflows are written by strangers. Wherever one reaches a sentence of ours it
 * passes here: bounded in length, without control, bidirectional and invisible characters.
 */

const MAX_LENGTH = 80;

/** Control, format (bidi, zero-width), private-use, unassigned and line-separating characters. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]+/gu;

export function displayName(name: string): string {
  const clean = name.replace(INVISIBLE, " ").replace(/\s+/g, " ").trim();
  const characters = [...clean];
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH - 1).join("")}…` : clean;
}

/** The name in quotes, for a sentence. */
export function quoted(name: string): string {
  return `"${displayName(name).replaceAll('"', "'")}"`;
}
