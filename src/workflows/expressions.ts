/**
 * Recognises n8n's expressions, and evaluates none. A parameter is an expression when its text begins with
 * `=` (n8n-workflow, `expressions/expression-helpers`); what stands in `{{ }}` is then evaluated, the rest
 * is text. Pure.
 */
import { Omitted, type ReadValue } from "../json/omitted.ts";

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

/** A text in the parameters, and where it stands. */
export interface ParameterText {
  /** Such as `options.headers[0].value`. */
  readonly path: string;
  readonly text: string;
}

/** Every text in the parameters, however deep, in their order. */
export function* textsIn(parameters: ReadValue): Generator<ParameterText> {
  const waiting: { readonly path: string; readonly value: ReadValue }[] = [{ path: "", value: parameters }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, value } = next;
    if (typeof value === "string") yield { path, text: value };
    else if (Array.isArray(value)) {
      waiting.push(...value.map((item, index) => ({ path: `${path}[${index}]`, value: item })).reverse());
    } else if (typeof value === "object" && value !== null && !(value instanceof Omitted)) {
      const members = Object.entries(value).map(([key, member]) => ({
        path: path === "" ? key : `${path}.${key}`,
        value: member,
      }));
      waiting.push(...members.reverse());
    }
  }
}

/** Every expression in the parameters, however deep. */
export function expressionsIn(parameters: ReadValue): ParameterText[] {
  return [...textsIn(parameters)].filter(({ text }) => isExpression(text));
}
