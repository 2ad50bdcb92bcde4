/** Walks JSON: a value and all values below it, outermost first, with the keys that lead to each. Pure. */
import { isReadObject, type ReadValue } from "../../json/omitted.ts";

type Found = readonly [path: readonly string[], value: ReadValue];

/** @param maxDepth of the lists and objects whose members are visited; bounds generated nesting */
export function valuesBelow(whole: ReadValue | undefined, maxDepth = 20): Found[] {
  const found: Found[] = [];
  const visit = (value: ReadValue, path: readonly string[]): void => {
    found.push([path, value]);
    if (path.length > maxDepth || !(Array.isArray(value) || isReadObject(value))) return;
    for (const [key, member] of Object.entries(value)) visit(member, [...path, key]);
  };
  if (whole !== undefined) visit(whole, []);
  return found;
}

/** The same for objects alone, whose members a reader kept. */
export const objectsBelow = (whole: ReadValue | undefined, maxDepth?: number) =>
  valuesBelow(whole, maxDepth).flatMap(([path, value]) =>
    isReadObject(value) ? [{ path, members: value }] : [],
  );

export const membersNamed = (value: ReadValue | undefined, keys: RegExp): ReadValue[] =>
  valuesBelow(value).flatMap(([path, member]) => (keys.test(path.at(-1) ?? "") ? [member] : []));
