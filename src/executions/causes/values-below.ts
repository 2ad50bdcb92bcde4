/** Walks JSON: a value and all values below it, outermost first, with the keys that lead to each. Pure. */
import { isReadObject, type ReadValue } from "../../json/omitted.ts";

/** @param maxDepth of the lists and objects whose members are visited; bounds generated nesting */
export function* valuesBelow(
  value: ReadValue | undefined,
  maxDepth = 20,
  path: readonly string[] = [],
): Generator<readonly [path: readonly string[], value: ReadValue]> {
  if (value === undefined) return;
  yield [path, value];
  if (path.length > maxDepth || !(Array.isArray(value) || isReadObject(value))) return;
  for (const [key, member] of Object.entries(value)) yield* valuesBelow(member, maxDepth, [...path, key]);
}

export const membersNamed = (value: ReadValue | undefined, keys: RegExp): ReadValue[] =>
  [...valuesBelow(value)].flatMap(([path, member]) => (keys.test(path.at(-1) ?? "") ? [member] : []));
