/**
 * Which ids are few enough to be tried out one after another: PINs, years, dates of birth. Whoever may see no
 * payload must not learn by trying that such a value stands somewhere in it. Pure.
 */

/** Of any characters. */
const SHORTEST = 8;
/** Of digits, however they are grouped: a date has eight, a telephone number ten or eleven. */
const FEWEST_DIGITS = 12;

export function isEasilyGuessed(id: string): boolean {
  if (id.length < SHORTEST) return true;
  if (/[^\p{N}\p{P}\p{S}\p{Z}]/u.test(id)) return false;
  return (id.match(/\p{N}/gu)?.length ?? 0) < FEWEST_DIGITS;
}

/** Told in the coverage. */
export const ONLY_KNOWN_PATHS = `an id of fewer than ${SHORTEST} characters, or of fewer than ${FEWEST_DIGITS} digits alone, is looked for at known request-id paths only, unless the scope n8n:data is granted; the operator can add its path to REQUEST_ID_PATHS`;
