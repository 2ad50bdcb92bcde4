/** Separates what code returns from what it only sends, such as a request's body. By pattern. Pure, linear. */

const RETURNS = /\breturn\b|\bjson\s{0,5}:/g;
const ASKS_SERVICE = /\b(?:httpRequest\w{0,40}|fetch|axios)\b/;

/**
 * Where the item begins that holds the last match of a global pattern; undefined if there is no match, or if it may
 * only be sent to a service.
 */
export function returnedAt(code: string, form: RegExp): number | undefined {
  const last = [...code.matchAll(form)].at(-1);
  if (last === undefined) return undefined;
  const begin = [...code.matchAll(RETURNS)].findLast(({ index }) => index < last.index);
  return begin?.index ?? (ASKS_SERVICE.test(code) ? undefined : 0);
}
