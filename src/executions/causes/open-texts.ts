/**
 * What redaction leaves of a workflow's own texts: sentences quote nothing else, since outside of its place a secret is not
 * recognized. Knows the built-in rules only, not those of the settings. Pure.
 */
import { isReadObject, type ReadValue } from "../../json/omitted.ts";
import { isMark, MARKS, markOfKind } from "../../redaction/marks.ts";
import { createRedactor } from "../../redaction/redact.ts";
import { valueAt } from "./field-origin.ts";
import { textsOf } from "./field-references.ts";

const redact = createRedactor([]);

export const isOpen = (value: object): boolean => Object.keys(redact(value).counts).length === 0;

export const openTextOf = (parameters: ReadValue | undefined): string =>
  textsOf(redact(parameters).value).join("\n").replaceAll(MARKS, "");

/** The value at a path; a mark if it is a secret by its name, or by what is beside it: `{ name: "password", value }`. */
export function openAt(json: ReadValue, path: readonly string[]): ReadValue {
  const value = valueAt(json, path) ?? null;
  const inPlace = valueAt(redact(onlyAround(json, path)).value, path);
  return typeof inPlace === "string" && isMark(inPlace) ? markOfKind("key") : value;
}

/** What is on the path, and the texts and numbers beside that. */
function onlyAround(json: ReadValue, [key, ...rest]: readonly string[]): ReadValue {
  if (key === undefined) return json;
  if (Array.isArray(json)) return { [key]: onlyAround(json[Number(key)] ?? null, rest) };
  if (!isReadObject(json)) return json;
  const around = Object.entries(json).map(([name, one]): [string, ReadValue] => [
    name,
    name === key ? onlyAround(one, rest) : typeof one === "object" ? null : one,
  ]);
  return Object.fromEntries(around);
}
