/**
 * Objects that say in one member what another one is: `{ name: "password", value: "…" }`, in any spelling; form
 * fields (`{ type: "password", value: "…" }`), answers to questions, JSON Patch, values marked as sensitive. Pure.
 */
import type { KeyKind } from "../key-rules.ts";
import { looksLikeToken } from "../text-rule.ts";
import { accountKindOf } from "./account-numbers.ts";
import { roleOf } from "./member-roles.ts";

/** What an object of this form says of one of its members. */
export interface Pair {
  readonly kind: KeyKind;
  /** The name that says so. */
  readonly name: string;
  readonly holds: (key: string) => boolean;
}

/** A name is no essay. */
const MAX_NAME_LENGTH = 120;
/** What forms and vaults call a field whose value is not to be seen. `token` is also what parsers call a word. */
const SECRET_TYPE =
  /^(?:.{0,40}(?:password|passwd|secret|sensitive|secure[_-]?string|masked|credential)s?|.{1,40}[_-]?(?:key|token))$/i;
/** Says something of the value, or where it is; of an object with two members the other one is its value. */
const DESCRIPTION =
  /^(?:type|kind|description|desc|required|optional|in|url|uri|href|link|namespace|scope|scopes|format|version|status|state|order|index|position|count|length|min|max|placeholder|display.*|is[A-Z_].*|has[A-Z_].*|.*(?:type|id|at|date|time|count|length))$/i;

type KindOfKey = (key: string) => KeyKind;

/** Parsers of XML make a list of everything. An expression of n8n is no name. */
function onlyText(value: unknown): string | undefined {
  const text: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof text !== "string" || text.length === 0 || text.length > MAX_NAME_LENGTH) return undefined;
  return text.startsWith("=") || text.includes("{{") || text.includes("[REDACTED:") ? undefined : text;
}

function lastPart(path: unknown): string | undefined {
  if (Array.isArray(path)) {
    const last: unknown = path.at(-1);
    return typeof last === "string" ? last : undefined;
  }
  return onlyText(path)
    ?.split(/[/.]/)
    .findLast((part) => part !== "" && !/^\d+$/.test(part));
}

/** Names in an object that stands for a name: `{ field: { ref: "password" }, text: "…" }`. */
function namesInside(value: unknown): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value) || "toJSON" in value) return [];
  const names: string[] = [];
  for (const key in value) {
    const role = roleOf(key);
    const isText = role === "name" || role === "value" || role === "text";
    const name = isText ? onlyText(Reflect.get(value, key)) : undefined;
    if (name !== undefined) names.push(name);
  }
  return names;
}

function namesIn(key: string, value: unknown): string[] {
  switch (roleOf(key)) {
    case "name": {
      const name = onlyText(value);
      return name === undefined ? namesInside(value) : [name];
    }
    case "attributes":
      return namesInside(value);
    case "path": {
      const name = lastPart(value);
      return name === undefined ? [] : [name];
    }
    default:
      return [];
  }
}

function isSecretType(key: string, value: unknown): boolean {
  return roleOf(key) === "type" && typeof value === "string" && SECRET_TYPE.test(value);
}

const isFlagged = (key: string, value: unknown): boolean => roleOf(key) === "flag" && value === true;

/** A long question with a long answer, or a heading with its text: the rules for texts read both. */
function isProse(name: string, value: unknown): boolean {
  const words = (text: string): number => text.trim().split(/\s+/, 6).length;
  return words(name) >= 4 && typeof value === "string" && words(value) >= 4;
}

/** The member that a field's own type names: `{ type: "email", email: "…" }`, as Typeform and Notion have it. */
function isTyped(object: object, key: string): boolean {
  return "type" in object && object.type === key;
}

/** `{ text: "…" }`, `["…"]`: a text in a wrapping, and no object of its own. */
function isWrappedText(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.length === 1 && isWrappedText(value[0]);
  const keys = Object.keys(value);
  return keys.length <= 3 && keys.every((key) => ["value", "text", "type"].includes(roleOf(key)));
}

function holdsValue(object: object, key: string): boolean {
  const role = roleOf(key);
  return role === "value" || (role === "text" && isWrappedText(Reflect.get(object, key)));
}

function isLoneValue(object: object, keys: readonly string[], key: string): boolean {
  if (keys.length !== 2 || roleOf(key) !== "none" || DESCRIPTION.test(key)) return false;
  const value: unknown = Reflect.get(object, key);
  return typeof value === "string" && looksLikeToken(value);
}

/**
 * What the object says of its values; undefined when it names none, or nothing that is secret.
 * @param keys of the object
 * @param hasMore names that are secret here and nowhere else, given with their value
 */
export function pairIn(
  object: object,
  keys: readonly string[],
  kindOfKey: KindOfKey,
  hasMore?: (name: string, value: unknown) => boolean,
): Pair | undefined {
  const isValue = (key: string): boolean =>
    holdsValue(object, key) || isTyped(object, key) || isLoneValue(object, keys, key);
  if (!keys.some(isValue)) return undefined;
  for (const key of keys) {
    const member: unknown = Reflect.get(object, key);
    if (isFlagged(key, member) || isSecretType(key, member)) {
      return { kind: "secret", name: String(member), holds: (each) => each !== key && isValue(each) };
    }
    for (const name of namesIn(key, member)) {
      const kind = kindOfKey(name);
      const pairedKind =
        kind === "none" &&
        hasMore !== undefined &&
        keys.some((each) => isValue(each) && hasMore(name, Reflect.get(object, each)))
          ? "secret"
          : kind;
      if (pairedKind === "none" || pairedKind === "internal" || pairedKind === "credentials") continue;
      return {
        kind: pairedKind,
        name,
        holds: (each) =>
          each !== key &&
          isValue(each) &&
          !isNameAgain(name, Reflect.get(object, each)) &&
          !isProse(name, Reflect.get(object, each)),
      };
    }
  }
  return undefined;
}

/** `{ name: "password", text: "Password", answer: "…" }`: the label of a field. */
function isNameAgain(name: string, value: unknown): boolean {
  const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  return (
    typeof value === "string" &&
    value.length <= MAX_NAME_LENGTH &&
    /^\p{Lu}/u.test(value) &&
    letters(value) === letters(name) &&
    value !== name
  );
}

/** The number of a card or an account, and the name beside it that announces it. */
export function accountPairIn(
  object: object,
  keys: readonly string[],
): { readonly name: string; readonly holds: (key: string) => boolean } | undefined {
  for (const key of keys) {
    const name = namesIn(key, Reflect.get(object, key)).find((each) => accountKindOf(each) !== "none");
    if (name !== undefined) return { name, holds: (each) => each !== key && holdsValue(object, each) };
  }
  return undefined;
}

const NONE: ReadonlySet<string> = new Set();
const LONE_NAME = /^[\p{L}\p{N}_.-]{2,40}$/u;

/** Two texts, of which one is the name of a secret and the other can be one: `{ left: "password", right: "…" }`. */
export function loneSecretIn(
  object: object,
  keys: readonly string[],
  kindOfKey: KindOfKey,
): string | undefined {
  const [first = "", second = ""] = keys;
  if (keys.length !== 2 || DESCRIPTION.test(first) || DESCRIPTION.test(second)) return undefined;
  const name: unknown = Reflect.get(object, first);
  const value: unknown = Reflect.get(object, second);
  const isOne =
    typeof name === "string" &&
    typeof value === "string" &&
    LONE_NAME.test(name) &&
    !/\s/.test(value) &&
    looksLikeToken(value) &&
    kindOfKey(first) === "none" &&
    kindOfKey(name) === "secret";
  return isOne ? second : undefined;
}

/** An object of more members is a table or a dictionary. */
const MOST_MEMBERS = 200;

/** Whether an object with these members may be a pair: most are not, and are not looked at further. */
export function mayBePair(keys: readonly string[]): boolean {
  if (keys.length < 2 || keys.length > MOST_MEMBERS) return false;
  let hasValue = keys.length === 2;
  let hasName = false;
  for (const key of keys) {
    const role = roleOf(key);
    if (role === "none") continue;
    if (role === "value" || role === "text") hasValue = true;
    else {
      hasName = true;
      // A type may name the member that holds the value.
      if (role === "type") hasValue = true;
    }
  }
  return hasValue && hasName;
}

/** https://kubernetes.io/docs/concepts/configuration/secret/ */
const SECRET_DATA: ReadonlySet<string> = new Set(["data", "stringData"]);

/** The members that are secret because of what the object is. */
export function hiddenMembers(object: object): ReadonlySet<string> {
  return "kind" in object && object.kind === "Secret" ? SECRET_DATA : NONE;
}
