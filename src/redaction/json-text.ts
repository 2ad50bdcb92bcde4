/** JSON inside strings: the whole text, or stretches of it, whole or cut off. */
import { readJson, type Stretch } from "./json-reader.ts";
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

/** What says at the end of a text that it was cut there: of our own, and of others. */
const CUT = /(?:… ?\[\d{1,15} more (?:bytes|characters)\]|…|\.\.\.)$/;

function escaped(text: string, times: number): string {
  let result = text;
  for (let done = 0; done < times; done += 1) result = JSON.stringify(result).slice(1, -1);
  return result;
}

/** The JSON in place of a stretch, cut where that was cut. */
function printed(json: string, { closers, escapes }: Stretch): string {
  const cut = json.endsWith(closers) ? json.slice(0, json.length - closers.length) : json;
  return escaped(cut, escapes);
}

/** Replaces each stretch of JSON in a text by what `replace` makes of it; undefined leaves it as it is. */
export function replaceJson(text: string, replace: (value: JsonValue) => string | undefined): string {
  const [cut = ""] =
    text.endsWith("]") || text.endsWith("…") || text.endsWith("...") ? (CUT.exec(text.slice(-60)) ?? []) : [];
  const body = cut === "" ? text : text.slice(0, text.length - cut.length);
  const brackets = /[{[]/g;
  let result = "";
  let done = 0;
  for (let match = brackets.exec(body); match !== null; match = brackets.exec(body)) {
    const { stretch, next } = readJson(body, match.index);
    brackets.lastIndex = next;
    const replaced = stretch === undefined ? undefined : replace(stretch.value);
    if (stretch === undefined || replaced === undefined) continue;
    result += body.slice(done, match.index) + printed(replaced, stretch);
    done = stretch.end;
  }
  return done === 0 ? text : result + text.slice(done);
}
