/** JSON inside strings: the whole text, or stretches of it. */

import type { JsonValue } from "./json-value.ts";
import { endOfQuoted } from "./texts/quoted-text.ts";

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

/** Each failed attempt may cost the whole text. */
const MAX_ATTEMPTS = 16;

/** Where the object or list that begins here ends, strings taken into account; -1 when it does not. */
function endOfJson(text: string, from: number): number {
  const signs = /[{}[\]"]/g;
  signs.lastIndex = from;
  let depth = 0;
  for (let match = signs.exec(text); match !== null; match = signs.exec(text)) {
    const [sign] = match;
    if (sign === '"') {
      const end = endOfQuoted(text, signs.lastIndex, '"');
      if (end < 0) return -1;
      signs.lastIndex = end + 1;
    } else {
      depth += sign === "{" || sign === "[" ? 1 : -1;
    }
    if (depth === 0) return signs.lastIndex;
  }
  return -1;
}

/** Replaces each stretch of JSON in a text by what `replace` makes of it; undefined leaves it as it is. */
export function replaceJson(text: string, replace: (value: JsonValue) => string | undefined): string {
  const begins = /[{[](?=\s{0,100}["{[])/g;
  let result = "";
  let done = 0;
  let attempts = 0;
  for (let match = begins.exec(text); match !== null && attempts < MAX_ATTEMPTS; match = begins.exec(text)) {
    const end = endOfJson(text, match.index);
    const parsed = end < 0 ? undefined : parseJson(text.slice(match.index, end));
    if (parsed === undefined) {
      attempts += 1;
      continue;
    }
    const replaced = replace(parsed.value);
    if (replaced !== undefined) {
      result += text.slice(done, match.index) + replaced;
      done = end;
    }
    begins.lastIndex = end;
  }
  return done === 0 ? text : result + text.slice(done);
}
