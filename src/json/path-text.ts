/** Formats and parses paths of JSON values. Ambiguous keys are quoted, as in n8n: `body["data.object.id"]`. Pure. */
import { parsedJson } from "./members.ts";

export type PathSegment = string | number;

export const namesIn = (path: readonly PathSegment[]): string[] =>
  path.filter((segment) => typeof segment === "string");

/** The last key, the last two, and so on, joined by dots in lower case, up to a maximum length. */
export function endsOf(names: readonly string[], longest: number): readonly string[] {
  const ends: string[] = [];
  let end: string | undefined;
  for (const name of names.toReversed()) {
    end = `${name.toLowerCase()}${end === undefined ? "" : `.${end}`}`;
    if (end.length > longest) break;
    ends.push(end);
  }
  return ends;
}

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

/** The keys of a path formatted by `formatQuoted`. */
export const keysOf = (path: string): string[] =>
  [...path.matchAll(SEGMENT)].flatMap(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? []) : unquoted(quoted),
  );

/** What precedes an item's keys in n8n's expressions: `$json`, `$input.item.json`, `$("Set").first().json`. */
const BEFORE_KEYS = /^(?:json|\$(?:json|(?:input|node|\().*?\.json)?)(?=[.[?])/i;
const QUOTED_KEY = /\.?\[("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]/g;

/**
 * In lower case: the path as a person wrote it, and as n8n's expressions and our answers write it, where `$json["Order
 * number"].id` is `Order number.id`. A path does not show which dots, brackets and digits belong to a key.
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

/** A double-quoted key is written as in JSON. */
function unquoted(quoted: string): string {
  const key = parsedJson(quoted);
  return typeof key === "string" ? key : quoted.slice(1, -1);
}

/** `items[0].id`, `items[*].id` and `items[].id` are `items.id`. */
export const withoutPositions = (path: string): string => path.replace(/\[(?:\d+|\*)?\]/g, "");
