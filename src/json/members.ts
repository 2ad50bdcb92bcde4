/** Reads JSON in texts, and members of values if they are of the expected type. Pure. */
import { isObject } from "../platform/is-object.ts";
import { isReadObject, itemsOf, Omitted, type ReadValue } from "./omitted.ts";

/** The value that a text is JSON of; undefined if it is not. */
export function parsedJson(text: string): ReadValue | undefined {
  try {
    const value: ReadValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** A member of a value that was not shortened by a reader. */
export const partOf = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((part, key) => (isObject(part) ? part[key] : undefined), value);

export function memberOf(
  value: ReadValue | undefined,
  ...path: readonly (string | number)[]
): ReadValue | undefined {
  return path.reduce<ReadValue | undefined>((at, part) => {
    if (typeof part === "number") return Array.isArray(at) ? at[part] : undefined;
    return isReadObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
  }, value);
}

export function textAt(
  value: ReadValue | undefined,
  ...path: readonly (string | number)[]
): string | undefined {
  const found = memberOf(value, ...path);
  return typeof found === "string" ? found : undefined;
}

/** A count: a non-negative integer. */
export function countAt(
  value: ReadValue | undefined,
  ...path: readonly (string | number)[]
): number | undefined {
  const found = memberOf(value, ...path);
  return typeof found === "number" && Number.isSafeInteger(found) && found >= 0 ? found : undefined;
}

/** The full length of a list, even if a reader omitted items. */
export function lengthOf(value: ReadValue | undefined): number | undefined {
  if (value instanceof Omitted) return value.length;
  return Array.isArray(value) ? itemsOf(value).length : undefined;
}
