/**
 * Reads values and texts from a node's parameters, whose shape depends on the node's type and version. Recognises n8n's
 * expressions, but evaluates none: a parameter is an expression when its text begins with `=` (n8n-workflow,
 * `expressions/expression-helpers`); n8n then evaluates the code in `{{ }}`, and the rest is text. Pure.
 */
import { memberOf } from "../json/members.ts";
import { isReadObject, Omitted, type ReadValue } from "../json/omitted.ts";

export type NodeParameters = Readonly<Record<string, ReadValue>>;

export function listAt(parameters: NodeParameters, ...path: readonly string[]): readonly ReadValue[] {
  const value = memberOf(parameters, ...path);
  return Array.isArray(value) ? value.filter((item) => !(item instanceof Omitted)) : [];
}

export const isExpression = (value: unknown): value is string =>
  typeof value === "string" && value.startsWith("=");

/** The text of a literal parameter; undefined for an expression, which only n8n can evaluate. */
export function literalOf(value: ReadValue | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return undefined;
  if (!isExpression(value)) return value;
  return value.includes("{{") ? undefined : value.slice(1);
}

/** Yields every text in the parameters, at any depth, in order, with its path, such as `options.headers[0].value`. */
export function* textsIn(parameters: ReadValue) {
  const waiting: { readonly path: string; readonly value: ReadValue }[] = [{ path: "", value: parameters }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, value } = next;
    if (typeof value === "string") yield { path, text: value };
    else if (Array.isArray(value))
      waiting.push(...value.map((item, index) => ({ path: `${path}[${index}]`, value: item })).reverse());
    else if (isReadObject(value)) {
      const prefix = path === "" ? "" : `${path}.`;
      const members = Object.entries(value).map(([key, member]) => ({ path: prefix + key, value: member }));
      waiting.push(...members.reverse());
    }
  }
}

export const hasText = (parameters: ReadValue, pattern: RegExp): boolean =>
  [...textsIn(parameters)].some(({ text }) => pattern.test(text));
