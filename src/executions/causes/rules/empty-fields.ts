/**
 * Fact: an expression that evaluates to `undefined` silently gives null or "". Reported if a node that sets fields reads,
 * without a fallback, a field that none of its items has; if a node is set to split, sum or collect such a field; or if
 * `alwaysOutputData` made an empty item out of nothing.
 */

import { isReadObject } from "../../../json/omitted.ts";
import { type ExecutionView, parameterOf, type SentItem } from "../execution-view.ts";
import type { Fact, FactOf } from "../fact.ts";
import { readWithout } from "../field-origin.ts";
import {
  expressionsIn,
  type FieldReference,
  pathText,
  plainReference,
  referencesIn,
  textsOf,
  valuesIn,
} from "../field-references.ts";
import { chainOf, traceOf } from "../field-trace.ts";
import { fieldsTaken, fieldsTested } from "../fields-taken.ts";
import { actsFrom } from "../node-effects.ts";
import { CODE } from "../node-kinds.ts";
import { ofNodes, type Rule } from "../rule.ts";
import type { EmptyReason, Instead } from "../wording/chain-sentences.ts";

const SETS = /\.(?:set|httpRequest|emailSend)$/;

export const emptyItems = ofNodes((view, node, { alwaysOutputData }, runs) => {
  if (view.isWithheld || alwaysOutputData !== true) return null;
  const { items, length } = view.sentBy(node, runs.length - 1);
  const [only] = items;
  const isEmpty = length === 1 && isReadObject(only?.json) && Object.keys(only.json).length === 0;
  const next = view.targetsOf(node)[0]?.[0]?.node;
  return isEmpty && next !== undefined && view.runs.has(next)
    ? { kind: "empty_item", node, next, confidence: "observed" }
    : null;
});

export const emptyFields: Rule = (view) =>
  view.isWithheld
    ? []
    : [...view.runs.keys()].flatMap((node): Fact[] => {
        // In a model or a tool, `$json` is the input of its agent.
        const reads = view.isSubNode(node) ? [] : lackingReads(view, node);
        const found =
          reads.find(({ confidence }) => confidence === "likely") ??
          reads.find(({ isAlwaysReported }) => isAlwaysReported);
        if (found === undefined) return [];
        const { isAlwaysReported, ...fact } = found;
        return [fact];
      });

type EmptyField = FactOf<"field_empty"> & { readonly isAlwaysReported: boolean };

/** The fields that a node reads and none of its items has. `isAlwaysReported`: reported even if no cause is found. */
function lackingReads(view: ExecutionView, node: string): EmptyField[] {
  const { type = "", parameters } = view.nodes.get(node) ?? {};
  const texts = textsOf(parameters);
  const inserted = texts.flatMap(expressionsIn).flatMap(insertedBy);
  const inCode = CODE.test(type) ? texts.flatMap(referencesIn).filter(({ hasFallback }) => !hasFallback) : [];
  const taken = fieldsTaken(view.nodes.get(node));
  const optional = view.successes.length === 0 ? [] : texts.flatMap(expressionsIn).flatMap(optionalIn);
  return [...taken, ...inserted, ...optional, ...fieldsTested(view.nodes.get(node)), ...inCode].flatMap(
    (reference): EmptyField[] => {
      const read = reference.path.length === 0 ? null : readWithout(view, node, reference);
      const [item] = read?.items ?? [];
      if (read === null || item === undefined) return [];
      const trace = traceOf(view, item, reference.path);
      const { instead, ...chain } = chainOf(view, trace);
      const isOwnReading = instead?.name != null && texts.some((text) => text.includes(instead.name ?? ""));
      const isLikelyMistake =
        isOwnReading || inCode.includes(reference)
          ? instead?.like != null && !isOwnReading
          : hasCause(instead);
      // In a loop the field may come later.
      const isOnce = view.runsOf(node).length === 1;
      const wasLacking = view.successes.some((success) => readWithout(success, node, reference) !== null);
      return [
        {
          kind: "field_empty",
          node,
          field: pathText(trace.path),
          reads: pathText(reference.path),
          from: trace.item.from,
          ofFirst: read.items.length < read.length ? read.items.length : null,
          why: emptyBecause(view, item, reference.path[0] ?? ""),
          instead,
          ...chain,
          confidence: isLikelyMistake && isOnce && !wasLacking ? "likely" : "observed",
          isAlwaysReported:
            (SETS.test(type) && inserted.includes(reference)) ||
            taken.includes(reference) ||
            (optional.includes(reference) && actsFrom(view, node) && !wasLacking),
        },
      ];
    },
  );
}

/** The fields that an expression inserts, even if it calls a method of its only field. */
function insertedBy(expression: string): FieldReference[] {
  const plain = plainReference(expression);
  if (plain === null) return valuesIn(expression);
  return plain.hasFallback ? [] : [plain];
}

const MARKS: readonly (readonly [EmptyReason, mark: string])[] = [
  ["semicolon", ";"],
  ["tab", "\t"],
  ["comma", ","],
  ["bar", "|"],
];

function emptyBecause(view: ExecutionView, { from, json }: SentItem, column: string): EmptyReason | null {
  const [only = "", ...others] = isReadObject(json) ? Object.keys(json) : [];
  const node = view.nodes.get(from);
  // Merge in the mode Choose Branch can be set to give an empty item.
  if (only === "" && parameterOf(node, "output") === "empty" && node?.type.endsWith(".merge"))
    return "chosen";
  if (others.length > 0 || only === column) return null;
  const holds = (mark: string): boolean => only.split(mark).some((name) => name.trim() === column);
  return MARKS.find(([, mark]) => holds(mark))?.[0] ?? null;
}

/** A field that is read by `?.` without a fallback value: it may be missing, but rarely is. */
function optionalIn(expression: string): FieldReference[] {
  const plain = plainReference(expression);
  return plain?.hasFallback === true && !/\?\?|\|\|/.test(expression) ? [plain] : [];
}

const hasCause = (instead: Instead | null): boolean =>
  instead !== null && (instead.like !== null || instead.dropped !== null || instead.isRenamed);
