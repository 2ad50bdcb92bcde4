/** Which texts need not be read: words, numbers, dates and ids in which no rule can find anything. */
import { mayHoldCode } from "./texts/one-time-codes.ts";

/** Shorter than any key of a provider, without a sign that could separate a name from a value. */
const WORD = /^[A-Za-z0-9_.-]{0,15}$/;
/** Telephone and social security numbers have nine digits or more. */
const MANY_DIGITS = /(?:\d[^\d]*){9}/;
/** Card numbers have at least thirteen digits. */
const NUMBER = /^-?\d{1,12}$/;
/** RFC 3339, section 5.6. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;
/** RFC 9562, section 4. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const LONGEST = 36;

/**
 * False only if no rule for texts would change this one. Secrets known by their value and the operator's own patterns
 * may have any form and must be searched for in any case.
 */
export function canHoldSecret(text: string): boolean {
  if (text.length > LONGEST) return true;
  if (WORD.test(text)) return (MANY_DIGITS.test(text) && !NUMBER.test(text)) || mayHoldCode(text);
  return !(DATE_TIME.test(text) || UUID.test(text));
}
