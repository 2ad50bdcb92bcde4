/**
 * Describes an edit of a parameter without payload: by the deepest name, n8n's options, numbers, and the fields that
 * an expression reads. Any other text may hold anything, so it is left out. Pure.
 */
import { quoted } from "../../platform/display-name.ts";
import { isObject } from "../../platform/is-object.ts";
import { pathText, referencesIn } from "./field-references.ts";

const NAME = /^[A-Za-z]\w{0,60}$/;
/** Keys that do not describe their value. */
const UNNAMED = /^(?:\d+|values?|__rl|parameters|name|cachedResult\w*)$/;
/** Parameters whose value is one of n8n's own words. */
const OPTION =
  /^(?:mode|method|operation|resource|logic|include|combinator|onError|\w{1,40}(?:By|Mode|Type|Method))$/;
const WORD = /^[A-Za-z]{1,40}$/;
const NUMBER = /^-?\d{1,6}(?:\.\d{1,4})?$/;
const SECRET = /pass|secret|token|key|auth|sign|pin|code|credential/i;

/** @param path as a comparison writes it: `parameters.queryParameters.parameters[1].value` */
export function placeOf(path: string, before: unknown, now: unknown): string {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== "");
  let [was, is, row] = [before, now, ""];
  for (const key of keys) {
    [was, is] = [memberAt(was, key), memberAt(is, key)];
    const name = memberAt(is, "name") ?? memberAt(was, "name");
    if (typeof name === "string" && NAME.test(name)) row = name;
  }
  const [top, deepest = ""] = [keys.slice(0, 2), keys.slice(2).findLast((key) => !UNNAMED.test(key))];
  const below = row === "" ? deepest : row;
  const place = top.map((key) => (NAME.test(key) ? key : "?")).join(".");
  const name = NAME.test(below) ? `${place} › ${quoted(below)}` : place;
  const change = SECRET.test(name) ? "" : changeOf(keys.at(-1) ?? "", was, is);
  return `${name}${change}`;
}

const memberAt = (value: unknown, key: string): unknown =>
  Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined;

function changeOf(key: string, was: unknown, now: unknown): string {
  const [from, to] = [shown(key, was), shown(key, now)];
  if (from !== undefined && to !== undefined) return from === to ? "" : ` (from ${from} to ${to})`;
  const [read, reads] = [fieldsIn(was), fieldsIn(now)];
  const lost = read.filter((field) => !reads.includes(field)).slice(0, 3);
  if (lost.length > 0) return ` (it no longer reads ${lost.map(quoted).join(", ")})`;
  const gained = reads.filter((field) => !read.includes(field)).slice(0, 3);
  return gained.length > 0 ? ` (it now reads ${gained.map(quoted).join(", ")})` : "";
}

function shown(key: string, value: unknown): string | undefined {
  if (value === undefined) return "unset";
  if (typeof value === "boolean") return String(value);
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  return NUMBER.test(text) || (OPTION.test(key) && WORD.test(text)) ? text : undefined;
}

const fieldsIn = (value: unknown): string[] =>
  typeof value === "string"
    ? referencesIn(value).flatMap(({ path }) => (path.length === 0 ? [] : pathText(path)))
    : [];
