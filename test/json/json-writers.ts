/** How different programs write a string in JSON. */
import fc from "fast-check";

export type JsonWriter = (value: string) => string;

const escaped = (unit: string, isUpperCase: boolean): string => {
  const hex = unit.charCodeAt(0).toString(16).padStart(4, "0");
  return `\\u${isUpperCase ? hex.toUpperCase() : hex}`;
};

/** Escapes matches of the pattern, one UTF-16 unit at a time. */
const escaping =
  (pattern: RegExp, isUpperCase = false): JsonWriter =>
  (value) =>
    JSON.stringify(value).replace(pattern, (unit) => escaped(unit, isUpperCase));

const nonAscii = /[\u0080-\uffff]/g;

/** Like PHP's json_encode. */
const php: JsonWriter = (value) => escaping(nonAscii)(value).replaceAll("/", "\\/");

/** Like System.Text.Json. */
const dotNet: JsonWriter = (value) => {
  const content = escaping(/[<>&'+`\u007f-\uffff]/g, true)(value).slice(1, -1);
  return `"${content.replace(/\\(["\\])/g, (pair, sign) => (sign === '"' ? "\\u0022" : pair))}"`;
};

const JSON_WRITERS: Readonly<Record<string, JsonWriter>> = {
  JavaScript: (value) => JSON.stringify(value),
  Python: escaping(nonAscii),
  "upper-case escapes": escaping(nonAscii, true),
  PHP: php,
  Go: escaping(/[<>&\u2028\u2029]/g),
  Gson: escaping(/[<>&='\u2028\u2029]/g),
  ".NET": dotNet,
};

export const jsonWriter: fc.Arbitrary<JsonWriter> = fc.constantFrom(...Object.values(JSON_WRITERS));
