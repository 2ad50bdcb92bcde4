/**
 * Writes one value for a text that is made of lines. Promises: it stays on its line, and what others wrote cannot pass
 * for a heading, a table, a link, an image or a line of ours. Pure.
 *
 * - A text without blanks stands as it is; any other stands in quotes, with JSON's escapes.
 * - Invisible characters (control, bidirectional, format, half surrogates) become `�`; the joiners that Persian, Hindi
 *   and emoji are written with stay.
 * - A `<` that could open a tag has a backslash before it, and so has the bracket of a Markdown image or link.
 * - A date loses its `.000`.
 */
import type { JsonValue } from "../../redaction/redact.ts";

const REPLACEMENT = "\uFFFD";
const UNSEEN = /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
const UNSEEN_IN_BLOCK = /(?!\u200c|\u200d|\n|\t)[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
const TAG = /<(?=[A-Za-z!])/g;
const IMAGE_OR_LINK = /!\[|\]\(/g;

/** Without blanks, quotes, brackets and separators, a text needs no quotes to be seen as one value. */
const BARE = /^[\p{L}\p{N}_/][\p{L}\p{N}\p{M}_.:,/+@#?&%*-]*$/u;
/** An address of ours, with `{names}` to be replaced. */
const ADDRESS_TEMPLATE = /^https?:\/\/[\w.:/{}-]+$/;
const BARE_KEY = /^[\p{L}_$][\p{L}\p{N}\p{M}_.$-]*$/u;
/** Without quotes, such a text would be read as a value of another type. */
const LOOKS_LIKE_A_VALUE = /^(?:true|false|null|none|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const WHOLE_SECOND = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\.000Z$/;
/** A member with such a name holds an id, even when it looks like a number. */
const ID_KEY = /(?:^|[a-z.])[Ii]ds?$|^retry|Of$|Cursor$/;

const withoutMarkup = (text: string): string =>
  text.replace(TAG, "\\<").replace(IMAGE_OR_LINK, (sign) => (sign === "![" ? "!\\[" : "]\\("));

/** Prints our own sentences and cleaned names on one line, without quotes. */
export function sentence(text: string): string {
  return withoutMarkup(text.replace(/\s+/g, " ").replace(UNSEEN, REPLACEMENT)).trim();
}

/** Prints a call as it is to be made: what would be markup is written as JSON may write it. */
export function callText(example: string): string {
  return example.replace(/\s+/g, " ").replace(UNSEEN, REPLACEMENT).replace(TAG, "\\u003c");
}

export function quote(text: string): string {
  const escaped = text
    .replace(/["\\]/g, "\\$&")
    .replace(/\n/g, "\\n")
    .replace(/\r/g, "\\r")
    .replace(/\t/g, "\\t")
    .replace(UNSEEN, REPLACEMENT);
  return `"${withoutMarkup(escaped)}"`;
}

/** @param key of the member that holds it: an id is no number */
export function word(value: string | number | boolean | null, key = ""): string {
  if (typeof value !== "string") return String(value);
  if (ADDRESS_TEMPLATE.test(value)) return value;
  if (!BARE.test(value) || (LOOKS_LIKE_A_VALUE.test(value) && !ID_KEY.test(key))) return quote(value);
  return value.replace(WHOLE_SECOND, "$1Z");
}

export function keyWord(key: string): string {
  return BARE_KEY.test(key) ? key : quote(key);
}

/** The lines of a long text, to stand behind a sign that says so. */
export function blockLines(text: string): string[] {
  return withoutMarkup(text.replace(/\r\n/g, "\n").replace(UNSEEN_IN_BLOCK, REPLACEMENT)).split("\n");
}

/** On one line: `[one two]`, `{key=value other=5}`. */
export function inline(value: JsonValue, key = ""): string {
  if (Array.isArray(value)) return `[${value.map((item) => inline(item, key)).join(" ")}]`;
  if (typeof value !== "object" || value === null) return word(value, key);
  return `{${pairs(Object.entries(value))}}`;
}

/** `key=value other=5` */
export function pairs(members: Iterable<readonly [string, JsonValue]>): string {
  return Array.from(members, ([key, value]) => `${keyWord(key)}=${inline(value, key)}`).join(" ");
}
