/**
 * Reads single values and texts out of a node's parameters, whose shape depends on the node's type and version.
 * Recognises n8n's expressions, and evaluates none: a parameter is an expression when its text begins with `=`
 * (n8n-workflow, `expressions/expression-helpers`); what stands in `{{ }}` is then evaluated, the rest is text. Pure.
 */
import { isReadObject, Omitted, type ReadValue } from "../json/omitted.ts";

export type NodeParameters = Readonly<Record<string, ReadValue>>;

/** The value below these keys; undefined when there is none. */
export function parameterAt(
  parameters: ReadValue | undefined,
  ...path: readonly string[]
): ReadValue | undefined {
  return path.reduce<ReadValue | undefined>(
    (value, key) => (isReadObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    parameters,
  );
}

export function textAt(parameters: NodeParameters, ...path: readonly string[]): string | undefined {
  const value = parameterAt(parameters, ...path);
  return typeof value === "string" ? value : undefined;
}

/** The items of the list below these keys; none when it is no list. */
export function listAt(parameters: NodeParameters, ...path: readonly string[]): readonly ReadValue[] {
  const value = parameterAt(parameters, ...path);
  return Array.isArray(value) ? value.filter((item) => !(item instanceof Omitted)) : [];
}

export function isExpression(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("=");
}

/** The text of a parameter that needs no evaluation; undefined when only n8n can tell. */
export function literalOf(value: ReadValue | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return undefined;
  if (!isExpression(value)) return value;
  return value.includes("{{") ? undefined : value.slice(1);
}

/** A text in the parameters, and its path, such as `options.headers[0].value`. */
interface ParameterText {
  readonly path: string;
  readonly text: string;
}

/** Every text in the parameters, however deep, in their order. */
export function* textsIn(parameters: ReadValue): Generator<ParameterText> {
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

export function hasText(parameters: ReadValue, pattern: RegExp): boolean {
  return [...textsIn(parameters)].some(({ text }) => pattern.test(text));
}
