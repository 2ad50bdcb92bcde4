/**
 * What an answer with `status: "error"` says went wrong: its code, and the fields that it names. Both are payload:
 * a code is told only if it looks like one, and a field is told by `shownField`. Pure.
 */
import type { ReadValue } from "../../json/omitted.ts";
import { isObject } from "../node-data.ts";

/** Of an answer without a code, and of one whose code does not look like a code. */
export const NO_CODE = "none";
export const OTHER_CODE = "other";
export const VALIDATION_ERROR = "VALIDATION_ERROR";

/** Numbers of people and accounts have more digits than a code. */
const CODE = /^(?!(?:.*\d){5})[A-Z][A-Z0-9_]{1,60}$/;
/** Where answers have it, the guide's place first. */
const CODE_PLACES = [["data", "code"], ["data", "error", "code"], ["error", "code"], ["code"]] as const;

export function errorCodeOf(answer: ReadValue): string {
  const found = CODE_PLACES.map((place) => valueAt(answer, place)).find((code) => code !== undefined);
  if (found === undefined || found === null) return NO_CODE;
  return typeof found === "string" && CODE.test(found) ? found : OTHER_CODE;
}

const FIELD_PLACES = [
  ["data", "details"],
  ["data", "error"],
  ["error", "details"],
  ["data"],
  ["error"],
] as const;
const SINGLE = ["field", "path", "param", "parameter", "property"];
const LISTS = ["fields", "errors", "issues", "missing", "details"];
const MAX_FIELDS = 20;

/** The fields that it names, in the common forms, as they stand there. */
export function namedFields(answer: ReadValue): string[] {
  const fields = FIELD_PLACES.map((place) => valueAt(answer, place)).flatMap((place) => [
    ...membersOf(place, SINGLE).flatMap(nameIn),
    ...membersOf(place, LISTS).flatMap((list) => (Array.isArray(list) ? list.flatMap(nameIn) : [])),
  ]);
  return [...new Set(fields)].slice(0, MAX_FIELDS);
}

/** A name, a path as a list, or an object that has either. */
function nameIn(entry: ReadValue): string[] {
  if (typeof entry === "string") return [entry];
  if (Array.isArray(entry)) return typeof entry[0] === "string" ? [entry[0]] : [];
  return membersOf(entry, [...SINGLE, "name"])
    .flatMap((name) => (Array.isArray(name) ? name.slice(0, 1) : [name]))
    .filter((name) => typeof name === "string");
}

function membersOf(value: ReadValue | undefined, names: readonly string[]): ReadValue[] {
  if (!isObject(value)) return [];
  return names.flatMap((name) => {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    return member === undefined ? [] : [member];
  });
}

function valueAt(value: ReadValue, place: readonly string[]): ReadValue | undefined {
  return place.reduce<ReadValue | undefined>((at, name) => membersOf(at, [name])[0], value);
}
