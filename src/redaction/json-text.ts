/** JSON inside strings. */

import type { JsonValue } from "./json-value.ts";

/** Longer numbers would be rounded by parsing them. */
const LONG_NUMBER = /\d{16}/;

/** Keeps a number that would change as the text that it was. Engines give `context` since ES2025. */
function keepLongNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === "number" &&
    source !== undefined &&
    String(value) !== source &&
    LONG_NUMBER.test(source)
    ? source
    : value;
}

/** What the text is in JSON; undefined when it is none. */
export function parseJson(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: LONG_NUMBER.test(text) ? JSON.parse(text, keepLongNumber) : JSON.parse(text) };
  } catch {
    // Not JSON.
    return undefined;
  }
}
