/** Tells what code returns from what it writes for others, such as the body of a request. By pattern. Pure, linear. */

const RETURNS = /\breturn\b|\bjson\s{0,5}:/g;
const ASKS_SERVICE = /\b(?:httpRequest\w{0,40}|fetch|axios)\b/;

/**
 * Where the last item that holds what a global form finds begins; undefined if the code holds it nowhere, or only where
 * it may be sent to a service.
 */
export function returnedAt(code: string, form: RegExp): number | undefined {
  const last = [...code.matchAll(form)].at(-1);
  if (last === undefined) return undefined;
  const begin = [...code.matchAll(RETURNS)].findLast(({ index }) => index < last.index);
  return begin?.index ?? (ASKS_SERVICE.test(code) ? undefined : 0);
}
