/**
 * Conditions of n8n's nodes (If, Switch, Filter), which compare what an expression fetches with a literal: if the
 * expression fetches a secret, the literal is that secret. Pure.
 */
import type { NameOf } from "./member-names.ts";

/** Each side and its counterpart: version 2, version 1, and the rules of a Switch. */
const SIDES: readonly (readonly [string, string])[] = [
  ["leftValue", "rightValue"],
  ["rightValue", "leftValue"],
  ["value1", "value2"],
  ["value2", "value1"],
  ["value1", "rules"],
];
/** The last member that an expression fetches, even if methods trim it or change its case. */
const FETCHED =
  /(?:\.|\[["'])([\p{L}_$][\p{L}\p{N}_ $-]{0,63})(?:["']\])?\s{0,4}(?:\??\.(?:trim|toString|toLowerCase|toUpperCase)\(\)\s{0,4}){0,3}\}\}$/u;

const HOLDERS = new Set("conditions string number boolean dateTime parameters rules values".split(" "));

/** The members that are compared with a secret. */
export function comparedMembers(object: object, above: string | undefined, nameOf: NameOf): string[] {
  if (above === undefined || !HOLDERS.has(above)) return [];
  const compared = SIDES.filter(([side]) => {
    const expression: unknown = Reflect.get(object, side);
    if (typeof expression !== "string" || expression.length > 500) return false;
    const [, name = ""] = FETCHED.exec(expression.trimEnd()) ?? [];
    const kind = name === "key" && expression.includes("query") ? "secret" : nameOf(name || "none").kind;
    return kind === "secret" || kind === "tokens" || kind === "auth";
  });
  return compared.map(([, other]) => other);
}
