/**
 * Makes untrusted text safe for our own sentences. The renderer escapes it; this removes what would still mislead:
 * invisible and bidirectional characters, stacked accents, line breaks, and excessive length. No I/O.
 */

const MAXIMUM_LENGTH = 80;

/** Control, format (all bidi marks among them), surrogate, private-use and unassigned characters. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]/gu;
/** More combining marks on one letter than any living script uses there. */
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;

/** The name as it may be shown, in at most 80 characters. */
export function toDisplayName(name: string): string {
  const plain = name
    .normalize("NFC")
    .replace(/[\p{Z}\t\n\v\f\r]+/gu, " ")
    .replace(INVISIBLE, "")
    .replace(STACKED_MARKS, "$1")
    .replace(/ {2,}/g, " ")
    .trim();
  const characters = Array.from(plain);
  if (characters.length === 0) return "An app without a name";
  if (characters.length <= MAXIMUM_LENGTH) return plain;
  return `${characters
    .slice(0, MAXIMUM_LENGTH - 1)
    .join("")
    .trimEnd()}…`;
}
