/**
 * Renders one value for text that consists of lines. Promises: the value stays on its line, and untrusted text cannot
 * imitate a heading, a table, a link, an image or one of our lines. Pure.
 *
 * - Text without blanks is written verbatim; other text is quoted, with JSON's escapes.
 * - Invisible characters (control, bidirectional, format, lone surrogates) become `�`; the joiners of Persian, Hindi and
 *   emoji stay.
 * - A `<` that could open a tag, and the bracket of a Markdown image or link, are escaped with a backslash.
 * - A date loses its `.000`.
 */
import type { JsonValue } from "../../redaction/redact.ts";

const REPLACEMENT = "\uFFFD";
const INVISIBLE = /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
const INVISIBLE_IN_BLOCK = /(?!\u200c|\u200d|\n|\t)[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
const TAG = /<(?=[A-Za-z!])/g;
const IMAGE_OR_LINK = /!\[|\]\(/g;

/** Text without blanks, quotes, brackets and separators needs no quotes. */
const BARE = /^[\p{L}\p{N}_/][\p{L}\p{N}\p{M}_.:,/+@#?&%*-]*$/u;
/** One of our addresses, with `{names}` as placeholders. */
const ADDRESS_TEMPLATE = /^https?:\/\/[\w.:/{}-]+$/;
const BARE_KEY = /^[\p{L}_$][\p{L}\p{N}\p{M}_.$-]*$/u;
/** Unquoted, such text would look like a value of another type. */
const LOOKS_LIKE_A_VALUE = /^(?:true|false|null|none|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const WHOLE_SECOND = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\.000Z$/;
/** Members with such names hold ids, even if they look like numbers. */
const ID_KEY = /(?:^|[a-z.])[Ii]ds?$|^retry|Of$|Cursor$/;

const withoutMarkup = (text: string): string =>
  text.replace(TAG, "\\<").replace(IMAGE_OR_LINK, (sign) => (sign === "![" ? "!\\[" : "]\\("));

/** Prints our own sentences and cleaned names on one line, without quotes. */
export const sentence = (text: string): string =>
  withoutMarkup(text.replace(/\s+/g, " ").replace(INVISIBLE, REPLACEMENT)).trim();

/** Prints a call verbatim; characters that could be markup become JSON escapes. */
export const callText = (example: string): string =>
  example.replace(/\s+/g, " ").replace(INVISIBLE, REPLACEMENT).replace(TAG, "\\u003c");

export function quote(text: string): string {
  const escaped = text
    .replace(/["\\]/g, "\\$&")
    .replace(/\n/g, "\\n")
    .replace(/\r/g, "\\r")
    .replace(/\t/g, "\\t")
    .replace(INVISIBLE, REPLACEMENT);
  return `"${withoutMarkup(escaped)}"`;
}

/** @param key name of the member, which shows whether the value is an id */
export function word(value: string | number | boolean | null, key = ""): string {
  if (typeof value !== "string") return String(value);
  if (ADDRESS_TEMPLATE.test(value)) return value;
  if (!BARE.test(value) || (LOOKS_LIKE_A_VALUE.test(value) && !ID_KEY.test(key))) return quote(value);
  return value.replace(WHOLE_SECOND, "$1Z");
}

export const keyWord = (key: string): string => (BARE_KEY.test(key) ? key : quote(key));

/** The lines of a long text, for printing after a block sign. */
export const blockLines = (text: string): string[] =>
  withoutMarkup(text.replace(/\r\n/g, "\n").replace(INVISIBLE_IN_BLOCK, REPLACEMENT)).split("\n");

/** Placeholders for repeated values. They are compared by identity, so that no value of an answer can imitate one. */
const REFERENCES = new WeakSet<object>();
export const isReference = (value: object): boolean => REFERENCES.has(value);

export function sameAs(path: string): JsonValue {
  const reference = [path];
  REFERENCES.add(reference);
  return reference;
}

/** On one line: `[one two]`, `{key=value other=5}`. */
export function inline(value: JsonValue, key = ""): string {
  if (Array.isArray(value) && isReference(value)) return `(same as ${value.join("")})`;
  if (Array.isArray(value)) return `[${value.map((item) => inline(item, key)).join(" ")}]`;
  if (typeof value !== "object" || value === null) return word(value, key);
  return `{${pairs(Object.entries(value))}}`;
}

/** `key=value other=5` */
export const pairs = (members: Iterable<readonly [string, JsonValue]>): string =>
  Array.from(members, ([key, value]) => `${keyWord(key)}=${inline(value, key)}`).join(" ");
