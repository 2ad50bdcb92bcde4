/**
 * Fields that a node is told of by their names alone, and not by an expression: what it splits, sums, collects, compares or
 * tests. Found in the parameters of n8n's own nodes (n8n-nodes-base 1.123 and 2.40). Pure.
 */
import type { WorkflowNode } from "../../n8n/schemas.ts";
import type { ExecutionView } from "./execution-view.ts";
import { findAt, itemsReadBy } from "./field-origin.ts";
import { type FieldReference, membersNamed, ownField, referencesIn, textsOf } from "./field-references.ts";

/** Type → the parameters that hold names of fields, one or several with commas. */
const NAMED_IN: Readonly<Record<string, RegExp>> = {
  "n8n-nodes-base.splitOut": /^fieldToSplitOut$/,
  "n8n-nodes-base.summarize": /^(?:field|fieldsToSplitBy)$/,
  "n8n-nodes-base.aggregate": /^fieldToAggregate$/,
};
const TESTS = /\.(?:if|filter|switch)$/;
const FIELD = /^[\p{L}_$][\p{L}\p{N}_$ .-]{0,100}$/u;

/** Those that a node takes by their names. */
export function fieldsTaken(node: WorkflowNode | undefined): FieldReference[] {
  const keys = NAMED_IN[node?.type ?? ""];
  if (keys === undefined) return [];
  const names = membersNamed(node?.parameters, keys).flatMap((member) =>
    typeof member === "string" ? member.split(",").map((name) => name.trim()) : [],
  );
  return names.filter((name) => FIELD.test(name)).map((name) => ownField(name.split(".")));
}

/** Those that a condition, or the value that is switched by, reads. */
export function fieldsTested(node: WorkflowNode | undefined): FieldReference[] {
  if (!TESTS.test(node?.type ?? "")) return [];
  return textsOf(node?.parameters)
    .filter((text) => text.startsWith("="))
    .flatMap(referencesIn)
    .filter(({ path, hasFallback }) => path.length > 0 && !hasFallback);
}

/** Whether the first run of a node was given items, and none of them has it. */
export function isInNone(view: ExecutionView, name: string, reference: FieldReference): boolean {
  const items = itemsReadBy(view, { run: view.runs.get(name)?.[0] }, reference);
  return items.length > 0 && items.every(({ json }) => findAt(json, reference.path).kind === "absent");
}
