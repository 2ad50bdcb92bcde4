/**
 * Fact: a node that splits a list also splits an object, into its members. XML has no lists: one element becomes an
 * object, several become a list, and so do the answers of some services.
 */
import { isReadObject } from "../../../json/omitted.ts";
import type { ExecutionView } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { findAt, itemsReadBy } from "../field-origin.ts";
import { type FieldReference, fieldsTaken, pathText } from "../field-references.ts";
import { traceOf } from "../field-trace.ts";
import type { Rule } from "../rule.ts";

const SPLITS = /\.splitOut$/;
const XML = /\.xml$/;

export const singleObject: Rule = (view) =>
  [...view.runs.keys()].flatMap((reader): Fact[] => {
    const node = view.nodes.get(reader);
    if (!SPLITS.test(node?.type ?? "")) return [];
    return fieldsTaken(node).flatMap((reference): Fact[] => {
      const item = splitItems(view, reader, reference).find(({ value }) => isReadObject(value));
      if (item === undefined) return [];
      const { from } = traceOf(view, item.item, reference.path).item;
      const before = (view.context.successes ?? []).find((success) =>
        splitItems(success, reader, reference).some(({ value }) => Array.isArray(value)),
      );
      const isUnmeant = before !== undefined || XML.test(view.nodes.get(from)?.type ?? "");
      if (!isUnmeant) return [];
      return [
        {
          kind: "list_single",
          node: from,
          reader,
          field: pathText(reference.path),
          before: before?.execution.id ?? null,
          value: item.value,
          confidence: "likely",
        },
      ];
    });
  });

const splitItems = (view: ExecutionView, reader: string, reference: FieldReference) =>
  itemsReadBy(view, { run: view.runs.get(reader)?.[0] }, reference).flatMap((item) => {
    const found = findAt(item.json, reference.path);
    return found.kind === "there" ? [{ item, value: found.value }] : [];
  });
