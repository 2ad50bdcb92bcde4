/** Members of values as they were read, when they are what is expected. Pure. */
import { isReadObject, itemsOf, Omitted, type ReadValue } from "../json/omitted.ts";
import { isObject } from "../platform/is-object.ts";

/** A member of a value that no reader has shortened. */
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

/** A count: a whole number from 0. */
export function countAt(
  value: ReadValue | undefined,
  ...path: readonly (string | number)[]
): number | undefined {
  const found = memberOf(value, ...path);
  return typeof found === "number" && Number.isSafeInteger(found) && found >= 0 ? found : undefined;
}

/** How long a list is, of which a reader may have left all out. */
export function lengthOf(value: ReadValue | undefined): number | undefined {
  if (value instanceof Omitted) return value.length;
  return Array.isArray(value) ? itemsOf(value).length : undefined;
}
