/**
 * Finds the paths of plain-text secrets in a node's parameters. A value that an expression fetches at run time is not
 * one, whatever the parameter is called; a literal within an expression is. Pure.
 */
import { isReadObject, type ReadValue } from "../../json/omitted.ts";
import { MARKS } from "../../redaction/marks.ts";
import { isExpression, type NodeParameters, textsIn } from "../../workflows/node-parameters.ts";
import { splitAt } from "./node-kinds.ts";

export type Redact = (value: unknown) => unknown;

/** n8n parameters whose names sound like secrets, and members that n8n stores with a chosen value. */
const HARMLESS = /(?:^|\.)(?:sessionKey|__rl|mode|cachedResultName|cachedResultUrl)$/;

/** Marks of values that redaction removes for their size or place, not because they are secrets. */
const NO_SECRET = /^\[REDACTED:(binary|path|internal|too-deep)\b/;

/** The paths of parameters that hold a secret; never the secret. */
export function plainSecrets(parameters: NodeParameters, redact: Redact): string[] {
  const inCodes = [...textsIn(parameters)].filter(({ text }) => {
    const code = isExpression(text) ? splitExpression(text).inside.join("\n") : "";
    return code !== "" && secretPaths(code, redact(code)).length > 0;
  });
  const paths = [...literalSecrets(parameters, redact), ...inCodes.map(({ path }) => path)];
  return [...new Set(paths)].filter((path) => !HARMLESS.test(path));
}

/**
 * Redaction treats one placeholder as fetched where it is a whole value, and the other as empty where it is part of an
 * address. Only what is redacted with both is a literal secret.
 */
function literalSecrets(parameters: NodeParameters, redact: Redact): string[] {
  const secretsWith = (fetched: string): string[] => {
    const value = withFetched(parameters, fetched);
    return secretPaths(value, redact(value));
  };
  const found = secretsWith("{{ $json.x }}");
  if (found.length === 0) return [];
  const inAddresses = new Set(secretsWith(""));
  return found.filter((path) => inAddresses.has(path));
}

/** Literal text, and the code within `{{ }}`. */
const splitExpression = (text: string) => splitAt(text, "{{", "}}");

function withFetched(value: ReadValue, fetched: string): ReadValue {
  if (typeof value === "string")
    return isExpression(value) ? splitExpression(value).outside.join(fetched) : value;
  if (Array.isArray(value)) return value.map((item) => withFetched(item, fetched));
  if (!isReadObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withFetched(member, fetched)]),
  );
}

/** The paths where redaction added a mark, such as `options.headers[0].value`. */
function secretPaths(value: unknown, redacted: unknown, path = ""): string[] {
  if (typeof redacted === "string") {
    const before = typeof value === "string" ? marksIn(value) : [];
    return marksIn(redacted).length > before.length ? [path] : [];
  }
  if (typeof redacted !== "object" || redacted === null || typeof value !== "object" || value === null)
    return [];
  const isList = Array.isArray(redacted);
  const prefix = path === "" ? "" : `${path}.`;
  return Object.entries(redacted).flatMap(([key, member]) =>
    secretPaths(Reflect.get(value, key), member, isList ? `${path}[${key}]` : prefix + key),
  );
}

const marksIn = (text: string): string[] =>
  [...text.matchAll(MARKS)].map(([mark]) => mark).filter((mark) => !NO_SECRET.test(mark));
