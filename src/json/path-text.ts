/**
 * Paths of JSON values as text: how they are written, and how they are read. A key that would be read as several is
 * quoted, as in n8n's expressions: `body["data.object.id"]`. Pure.
 */
import { parsedJson } from "./members.ts";

export type PathSegment = string | number;

export const namesIn = (path: readonly PathSegment[]): string[] =>
  path.filter((segment) => typeof segment === "string");

/** `["items", 3, "json"]` → `items[3].json`; no key is quoted. */
export const formatPath = (path: readonly PathSegment[]): string => format(path, () => false);

/** The same with quoted keys, which `keysOf` reads. */
export const formatQuoted = (path: readonly PathSegment[]): string =>
  format(path, (key) => key === "" || /[.["]/.test(key));

const format = (path: readonly PathSegment[], isQuoted: (key: string) => boolean): string =>
  path.reduce<string>((text, segment) => {
    if (typeof segment === "number" || isQuoted(segment)) return `${text}[${JSON.stringify(segment)}]`;
    return text === "" ? segment : `${text}.${segment}`;
  }, "");

/** A quoted key, a position or the brackets of a list, or a plain key. */
export const SEGMENT = /\[("(?:[^"\\]|\\.)*")\]|\[\d*\]|([^.[]+)/g;

/** The keys of a path whose keys are quoted where they have to be. */
export const keysOf = (path: string): string[] =>
  [...path.matchAll(SEGMENT)].flatMap(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? []) : unquoted(quoted),
  );

/** What n8n's expressions have before an item's keys: `$json`, `$input.item.json`, `$("Set").first().json`. */
const BEFORE_KEYS = /^(?:json|\$(?:json|(?:input|node|\().*?\.json)?)(?=[.[?])/i;
const QUOTED_KEY = /\.?\[("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]/g;

/**
 * In lower case: the path as a person has written it, and as n8n's expressions and our answers write it, where
 * `$json["Order number"].id` is `Order number.id`. Which dots and brackets belong to a key, and which digits, no path says.
 */
export function spellingsOf(path: string): readonly string[] {
  const keys = path
    .replace(BEFORE_KEYS, "")
    .replace(/\?\.(\[?)/g, (_link, bracket: string) => bracket || ".")
    .replace(QUOTED_KEY, (_bracket, quoted: string) => `.${unquoted(quoted)}`)
    .replace(/^\./, "");
  const withDigits = keys.replace(/\[(\d+)\]/g, ".$1").replace(/^\./, "");
  const withoutDigits = keys.replace(/\.(?:\d+|\*)(?=\.|$)/g, "");
  return [...new Set([path, keys, withDigits, withoutDigits].map((spelling) => spelling.toLowerCase()))];
}

/** A key between double quotes is written as in JSON. */
function unquoted(quoted: string): string {
  const key = parsedJson(quoted);
  return typeof key === "string" ? key : quoted.slice(1, -1);
}

/** `items[0].id`, `items[*].id` and `items[].id` are `items.id`. */
export const withoutPositions = (path: string): string => path.replace(/\[(?:\d+|\*)?\]/g, "");
