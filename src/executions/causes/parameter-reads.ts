/**
 * A node's parameters as resolved for one item: each expression that only inserts fields, with the values found.
 * Other expressions are counted, not evaluated. Pure.
 */
import { isReadObject, type ReadValue } from "../../json/omitted.ts";
import type { WorkflowNode } from "../../n8n/schemas.ts";
import { valueAt } from "./field-origin.ts";
import { expressionsIn, type FieldReference, plainReference, valuesIn } from "./field-references.ts";
import { isBlank } from "./field-trace.ts";

export interface ParameterRead {
  /** Its key, or the name that the workflow gives the value: `url`, `customer`. */
  readonly parameter: string;
  readonly expression: string;
  /** The fields that it inserts; none if it computes something. */
  readonly references: readonly FieldReference[];
}

const MAX_DEPTH = 10;

export const parameterReadsOf = (node: WorkflowNode | undefined): ParameterRead[] =>
  readsIn(node?.parameters, "", 0);

function readsIn(value: ReadValue | undefined, parameter: string, depth: number): ParameterRead[] {
  if (typeof value === "string")
    // Database nodes also resolve expressions in a query that is not marked as an expression.
    return expressionsIn(parameter === "query" && !value.startsWith("=") ? `=${value}` : value).map(
      (expression) => {
        const plain = plainReference(expression);
        return { parameter, expression, references: plain === null ? valuesIn(expression) : [plain] };
      },
    );
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((member) => readsIn(member, parameter, depth + 1));
  if (!isReadObject(value)) return [];
  const { name } = value;
  return Object.entries(value).flatMap(([key, member]) => {
    const own = key === "value" && typeof name === "string" && !name.startsWith("=") ? name : key;
    const isStructure = depth > 0 && ["value", "values", "parameters", "assignments"].includes(own);
    return readsIn(member, isStructure ? parameter : own, depth + 1);
  });
}

export interface ResolvedParameter {
  readonly parameter: string;
  readonly expression: string;
  /**
   * Payload: the field's key, by which it is redacted → value; null if there was none. Absent unless the expression
   * only inserts fields of the node's input.
   */
  readonly values?: { readonly [field: string]: ReadValue };
}

/** The parameters of a node for one item of its input, empty ones first, those that were not resolved last. */
export function resolvedFor(node: WorkflowNode | undefined, json: ReadValue): ResolvedParameter[] {
  const resolved = parameterReadsOf(node).map(({ parameter, expression, references }) => {
    const isOwn =
      references.length > 0 && references.every((one) => one.node === null && one.path.length > 0);
    const values = references.map(({ path }) => [path.at(-1) ?? "", valueAt(json, path) ?? null] as const);
    return { parameter, expression, ...(isOwn ? { values: Object.fromEntries(values) } : {}) };
  });
  const place = ({ values }: ResolvedParameter): number =>
    values === undefined ? 2 : Object.values(values).some(isBlank) ? 0 : 1;
  return resolved.toSorted((one, other) => place(one) - place(other));
}
