/**
 * Fact: an expression that evaluates to `undefined` silently gives null or "". Reported if a node that sets fields reads,
 * without a fallback, a field that none of its items has; if a node is set to split, sum or collect such a field; or if
 * `alwaysOutputData` made an empty item out of nothing.
 */
import { isReadObject } from "../../../json/omitted.ts";
import { sentBy, settingOf } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { firstSender, isInNone } from "../field-origin.ts";
import { type FieldReference, fieldsTaken, pathText, referencesIn, textsOf } from "../field-references.ts";
import type { Rule } from "../rule.ts";

const SETS = /\.(?:set|httpRequest|emailSend)$/;

export const emptyItems: Rule = (view) => {
  if (view.isWithheld) return [];
  return [...view.runs].flatMap(([node, runs]): Fact[] => {
    if (settingOf(view.nodes.get(node), "alwaysOutputData") !== true) return [];
    const { items, length } = sentBy(node, runs.at(-1), runs.length - 1, 0);
    const [only] = items;
    const isEmpty = length === 1 && isReadObject(only?.json) && Object.keys(only.json).length === 0;
    const next = view.targetsOf(node)[0]?.[0]?.node;
    return isEmpty && next !== undefined ? [{ kind: "empty_item", node, next, confidence: "observed" }] : [];
  });
};

export const emptyFields: Rule = (view) => {
  if (view.isWithheld) return [];
  return [...view.runs.keys()].flatMap((node): Fact[] => {
    const { type = "", parameters } = view.nodes.get(node) ?? {};
    const set = SETS.test(type) ? textsOf(parameters).filter((text) => text.startsWith("=")) : [];
    const references = [...fieldsTaken(view.nodes.get(node)), ...set.flatMap(plainReferences)];
    const lacking = references.find((reference) => isInNone(view, node, reference));
    if (lacking === undefined) return [];
    const from = firstSender(view, node, lacking);
    return [{ kind: "field_empty", node, field: pathText(lacking.path), from, confidence: "observed" }];
  });
};

/** References of expressions that only read; those with conditions or calculations are assumed to handle missing values. */
function plainReferences(text: string): FieldReference[] {
  const expressions = [...text.matchAll(/\{\{([^{}]{1,500})\}\}/g)].map(([, inner = ""]) => inner.trim());
  return expressions.flatMap((inner) => {
    const [reference, ...others] = referencesIn(inner);
    const isPlain = reference !== undefined && others.length === 0 && /^\$[\w$.()'"[\] -]+$/.test(inner);
    if (!isPlain || reference.hasFallback) return [];
    // A method called at the end is not a field.
    const isCalled = inner.includes(`${reference.path.at(-1) ?? ""}(`);
    const path = isCalled ? reference.path.slice(0, -1) : reference.path;
    return path.length > 0 ? [{ ...reference, path }] : [];
  });
}
