/** Fields that nodes take by name, or test. Pure. */
import type { WorkflowNode } from "../../n8n/schemas.ts";
import { expressionTextsOf, type FieldReference, ownField, referencesIn } from "./field-references.ts";
import { DECIDES } from "./node-kinds.ts";
import { membersNamed } from "./values-below.ts";

/**
 * Node type → the parameters that hold one or more comma-separated field names, which the node splits, sums or collects
 * (n8n-nodes-base 1.123 and 2.40).
 */
const NAMED_IN: Readonly<Record<string, RegExp>> = {
  "n8n-nodes-base.splitOut": /^fieldToSplitOut$/,
  "n8n-nodes-base.summarize": /^(?:field|fieldsToSplitBy)$/,
  "n8n-nodes-base.aggregate": /^fieldToAggregate$/,
};
const FIELD = /^[\p{L}_$][\p{L}\p{N}_$ .-]{0,100}$/u;

export function fieldsTaken(node: WorkflowNode | undefined): FieldReference[] {
  const type = node?.type ?? "";
  const keys = Object.hasOwn(NAMED_IN, type) ? NAMED_IN[type] : undefined;
  if (keys === undefined) return [];
  const names = membersNamed(node?.parameters, keys).flatMap((member) =>
    typeof member === "string" ? member.split(",").map((name) => name.trim()) : [],
  );
  return names.filter((name) => FIELD.test(name)).map((name) => ownField(name.split(".")));
}

/** Fields read by a condition or by the value of a Switch. */
export function fieldsTested(node: WorkflowNode | undefined): FieldReference[] {
  if (!DECIDES.test(node?.type ?? "")) return [];
  return expressionTextsOf(node)
    .flatMap(referencesIn)
    .filter(({ path, hasFallback }) => path.length > 0 && !hasFallback);
}
