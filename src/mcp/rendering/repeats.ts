/**
 * Shows a large object once: where nodes pass on their input, such as a webhook's headers or an error trigger's
 * payload, a repetition refers to the first place. Rows of one list stay, since a table shows equal values once. Pure.
 */
import type { JsonValue } from "../../redaction/redact.ts";
import { isJsonObject } from "./table.ts";
import { keyWord, sameAs } from "./words.ts";

/** An object is replaced if it is this many characters longer than the reference. */
const MIN_SAVED = 150;

/** The place of an object, and the innermost list around it. */
type Place = readonly [path: string, list: string];

export function withoutRepeats(
  value: JsonValue,
  [path, list]: Place = ["", ""],
  seen: Map<string, Place> = new Map(),
): JsonValue {
  const at = (key: string): string => (path === "" ? key : `${path}.${key}`);
  if (Array.isArray(value))
    return value.map((one, index) => withoutRepeats(one, [at(String(index)), path], seen));
  if (!isJsonObject(value)) return value;
  const text = JSON.stringify(value);
  const [first, itsList] = seen.get(text) ?? [];
  if (first !== undefined && itsList !== list && text.length - first.length >= MIN_SAVED)
    return sameAs(first);
  if (first === undefined) seen.set(text, [path, list]);
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([key, of]) => [key, withoutRepeats(of, [at(keyWord(key)), list], seen)]),
  );
}
