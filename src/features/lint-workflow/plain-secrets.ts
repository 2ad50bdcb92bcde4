/**
 * Secrets that stand in plain text in a node's parameters, by their paths. What an expression fetches when it
 * runs is none, whatever the parameter is called; a literal within an expression is. Pure.
 */
import { Omitted, type ReadValue } from "../../json/omitted.ts";
import { MARKS } from "../../redaction/marks.ts";
import { isExpression, type NodeParameters, textsIn } from "../../workflows/node-parameters.ts";

/** Takes away what is secret, and marks it. */
export type Redact = (value: unknown) => unknown;

/**
 * What may stand where an expression fetches something. Redaction knows the first as fetched where it is a
 * whole value, and the second as no value where it is a part of an address: a secret is one under both.
 */
const FETCHED = ["{{ $json.x }}", ""] as const;

/** Names of n8n's own parameters that sound like secrets, and what n8n keeps beside a chosen value. */
const HARMLESS = /(?:^|\.)(?:sessionKey|__rl|mode|cachedResultName|cachedResultUrl)$/;

/** Marks of what is taken away for its size or its place, and is no secret. */
const NO_SECRET = /^\[REDACTED:(binary|path|internal|too-deep)\b/;

/** The paths of parameters that hold a secret; never the secret. */
export function plainSecrets(parameters: NodeParameters, redact: Redact): string[] {
  const codes = codesIn(parameters);
  const inCodes = codes.filter(({ code }) => secretPaths(code, redact(code)).length > 0);
  const paths = [...literalSecrets(parameters, redact), ...inCodes.map(({ path }) => path)];
  return [...new Set(paths)].filter((path) => !HARMLESS.test(path));
}

function literalSecrets(parameters: NodeParameters, redact: Redact): string[] {
  let found: string[] | undefined;
  for (const fetched of FETCHED) {
    const value = withFetched(parameters, fetched);
    const paths = new Set(secretPaths(value, redact(value)));
    found = found === undefined ? [...paths] : found.filter((path) => paths.has(path));
    if (found.length === 0) break;
  }
  return found ?? [];
}

interface Expression {
  /** The literal parts of the text; the expression fetches something between them. */
  readonly literals: readonly string[];
  /** The code within `{{ }}`. */
  readonly code: string;
}

/** Takes linear time, however many brackets are never closed. */
function splitExpression(text: string): Expression {
  const literals: string[] = [];
  const code: string[] = [];
  let from = 0;
  for (let at = text.indexOf("{{"); at !== -1; at = text.indexOf("{{", from)) {
    const end = text.indexOf("}}", at);
    if (end === -1) break;
    literals.push(text.slice(from, at));
    code.push(text.slice(at + 2, end));
    from = end + 2;
  }
  literals.push(text.slice(from));
  return { literals, code: code.join("\n") };
}

/** Replaces what the expressions in a value fetch. */
function withFetched(value: ReadValue, fetched: string): ReadValue {
  if (typeof value === "string")
    return isExpression(value) ? splitExpression(value).literals.join(fetched) : value;
  if (typeof value !== "object" || value === null || value instanceof Omitted) return value;
  if (Array.isArray(value)) return value.map((item) => withFetched(item, fetched));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withFetched(member, fetched)]),
  );
}

function codesIn(parameters: NodeParameters): { readonly path: string; readonly code: string }[] {
  return [...textsIn(parameters)]
    .filter(({ text }) => isExpression(text))
    .map(({ path, text }) => ({ path, code: splitExpression(text).code }))
    .filter(({ code }) => code !== "");
}

/** The paths at which the redacted value has a mark that the value has not, such as `options.headers[0].value`. */
function secretPaths(value: unknown, redacted: unknown, path = ""): string[] {
  if (typeof redacted === "string") {
    const before = typeof value === "string" ? marksIn(value) : [];
    return marksIn(redacted).length > before.length ? [path] : [];
  }
  if (typeof redacted !== "object" || redacted === null || typeof value !== "object" || value === null)
    return [];
  return Object.entries(redacted).flatMap(([key, member]) =>
    secretPaths(Reflect.get(value, key), member, joined(path, key, Array.isArray(redacted))),
  );
}

function marksIn(text: string): string[] {
  return [...text.matchAll(MARKS)].map(([mark]) => mark).filter((mark) => !NO_SECRET.test(mark));
}

function joined(path: string, key: string, isList: boolean): string {
  if (isList) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}
