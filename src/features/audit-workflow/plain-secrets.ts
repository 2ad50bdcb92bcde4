/**
 * Finds the paths of plain-text secrets in a node's parameters. A value that an expression fetches at run time is not
 * one, whatever the parameter is called; a literal within an expression is. Pure.
 */
import { isReadObject, type ReadValue } from "../../json/omitted.ts";
import { MARKS } from "../../redaction/marks.ts";
import { isExpression, type NodeParameters, textsIn } from "../../workflows/node-parameters.ts";
import { splitAt } from "./node-kinds.ts";

export type Redact = (value: unknown) => unknown;

/** Choices whose names sound like secrets, and members that n8n itself stores. */
const HARMLESS =
  /(?:^|\.)(?:sessionKey|__rl|mode|authentication|permissiveness|returnValue|valueProvider)$|(?:^|\.)schema\[/;

/** Marks of values that redaction removes for their size or place, not because they are secrets. */
const NO_SECRET = /^\[REDACTED:(binary|buffer|path|internal|too-deep|too-complex)\b/;

/** Texts for people and models, where the word after "password" or "Bearer" is hardly ever a secret. */
const PROSE = /(?:^|\.)(?:content|message|text|prompt|systemMessage|\w*[Dd]escription)$/;
/** Marks of values that only their surroundings make secrets. */
const BY_CONTEXT = /^\[REDACTED:(?:key|bearer|basic|url-secret)\b/;
const NO_WORD = /^(?=.*\d)(?=.*[A-Za-z])\S{6,}$/;

const CODE = /^(?:code|\w+Code)$/;
/** Quoted text, closed or not, or the beginning of a value that is computed, without literals of its own. */
const CODE_PART =
  /"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\[\s\S])*`?|\/\/[^\n]*|[:=]\s*(?=\(?[A-Za-z_$][^"'`,;\n]{0,200}(?:[,;\n]|$)|`[^`]*\$\{)/g;

/** The paths of parameters that hold a secret; never the secret. */
export function plainSecrets(parameters: NodeParameters, redact: Redact): string[] {
  const texts = new Map([...textsIn(parameters)].map(({ path, text }) => [path, text]));
  const isSecret = (text: string, path: string): boolean => secretPaths(text, redact(text), path).length > 0;
  const literals = literalsOf(parameters);
  // What stands beside a fetched value, such as `Bearer `, is a secret only by itself, whatever the parameter is called.
  const named = secretPaths(literals, redact(literals)).filter((path) => {
    const { inside, outside } = splitExpression(texts.get(path) ?? "");
    const words = outside.join(" ").split(/[^\w.~+/-]+/);
    // As parameters of a URL, only words that nobody could guess are redacted.
    const isKey = (): boolean => isSecret(`https://x.example/?rss_key=${words.join("&rss_key=")}`, path);
    return inside.length === 0 || isSecret(outside.join(""), path) || isKey();
  });
  const inCodes = [...texts].filter(([path, text]) => {
    const { inside } = splitExpression(text);
    return inside.length > 0 && isSecret(codeLiterals(inside.join("\n")), path);
  });
  const paths = [...named, ...inCodes.map(([path]) => path)];
  return [...new Set(paths)].filter((path) => !HARMLESS.test(path));
}

/** Literal text, and the code within `{{ }}`. */
const splitExpression = (text: string) =>
  isExpression(text) ? splitAt(text, "{{", "}}") : { outside: [text], inside: [] };

function literalsOf(value: ReadValue, key = ""): ReadValue {
  if (typeof value === "string")
    return CODE.test(key) ? codeLiterals(value) : splitExpression(value).outside.join("{{ $json.x }}");
  if (Array.isArray(value)) return value.map((item) => literalsOf(item));
  if (!isReadObject(value)) return value;
  // The display name of a chosen resource says nothing about its id.
  const members = Object.entries(value).filter(([name]) => !name.startsWith("cachedResult"));
  return Object.fromEntries(members.map(([name, member]) => [name, literalsOf(member, name)]));
}

/** Code in which only literals are values, so that `{ apiKey: myKey }` has none. */
const codeLiterals = (code: string): string =>
  code.replace(CODE_PART, (part) => {
    if (part.startsWith("`")) return part.replace(/\$\{[^{}"']*\}/g, "");
    return /^["'/]/.test(part) ? part : `${part}null + `;
  });

/** The paths where redaction added a mark, such as `options.headers[0].value`. */
function secretPaths(value: unknown, redacted: unknown, path = ""): string[] {
  if (typeof redacted === "string") {
    const text = typeof value === "string" || Number.isInteger(value) ? String(value) : redacted;
    return hasSecret(text, redacted, PROSE.test(path)) ? [path] : [];
  }
  if (typeof redacted !== "object" || redacted === null || typeof value !== "object" || value === null)
    return [];
  const isList = Array.isArray(redacted);
  const prefix = path === "" ? "" : `${path}.`;
  return Object.entries(redacted).flatMap(([key, member]) =>
    secretPaths(Reflect.get(value, key), member, isList ? `${path}[${key}]` : prefix + key),
  );
}

function hasSecret(text: string, redacted: string, isProse: boolean): boolean {
  const marks = [...redacted.matchAll(MARKS)];
  let [from, begin] = [0, 0];
  return marks.some(({ 0: mark, index }, at) => {
    begin += index - from;
    from = index + mark.length;
    const next = redacted.slice(from, marks[at + 1]?.index);
    const end = next === "" ? text.length : text.indexOf(next, begin);
    const removed = text.slice(begin, end);
    begin = end;
    if (removed === mark || NO_SECRET.test(mark)) return false;
    return !(isProse && BY_CONTEXT.test(mark)) || NO_WORD.test(removed);
  });
}
