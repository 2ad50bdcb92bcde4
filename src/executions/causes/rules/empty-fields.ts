/**
 * Fact: an expression that meets `undefined` gives null or "" without a word. Told where a node that sets fields read one that none of
 * its items has, and takes no care of it; where a node was told to split, sum or collect a field that none has; or where
 * `alwaysOutputData` made one empty item of nothing.
 */
import { isReadObject } from "../../../json/omitted.ts";
import { quoted } from "../../../platform/display-name.ts";
import { type ExecutionView, sentBy, settingOf } from "../execution-view.ts";
import { itemsReadBy, originOf } from "../field-origin.ts";
import { type FieldReference, pathText, referencesIn, textsOf } from "../field-references.ts";
import type { Finding } from "../finding.ts";
import { fieldsTaken, isInNone } from "../named-fields.ts";
import type { Rule } from "../rule.ts";

const SETS = /\.(?:set|httpRequest|emailSend)$/;

export const emptyItems: Rule = (view) => {
  if (view.isWithheld) return [];
  return [...view.runs].flatMap(([name, runs]) => {
    if (settingOf(view.nodes.get(name), "alwaysOutputData") !== true) return [];
    const { items, length } = sentBy(name, runs.at(-1), runs.length - 1, 0);
    const [only] = items;
    const isEmpty = length === 1 && isReadObject(only?.json) && Object.keys(only.json).length === 0;
    const next = view.targetsOf(name)[0]?.[0]?.node;
    if (!isEmpty || next === undefined) return [];
    return [
      {
        cause: "empty_item",
        node: name,
        sentence: `${quoted(name)} had nothing to send and sent one empty item instead (Always Output Data), on which ${quoted(next)} went on.`,
        confidence: "observed",
      } satisfies Finding,
    ];
  });
};

export const emptyFields: Rule = (view) => {
  if (view.isWithheld) return [];
  return [...view.runs].flatMap(([name, runs]) => {
    const node = view.nodes.get(name);
    const run = runs[0];
    if (run === undefined) return [];
    const taken = fieldsTaken(node).find((reference) => isInNone(view, name, reference));
    if (taken !== undefined) return [toFinding(view, name, taken)];
    if (!SETS.test(node?.type ?? "")) return [];
    const references = textsOf(node?.parameters)
      .filter((text) => text.startsWith("="))
      .flatMap(plainReferences);
    const lacking = references.find((reference) => isInNone(view, name, reference));
    return lacking === undefined ? [] : [toFinding(view, name, lacking)];
  });
};

/** Of an expression that reads and nothing else: what decides or calculates takes care of itself. */
function plainReferences(text: string): FieldReference[] {
  const expressions = [...text.matchAll(/\{\{([^{}]{1,500})\}\}/g)].map(([, inner = ""]) => inner.trim());
  return expressions.flatMap((inner) => {
    const [reference, ...others] = referencesIn(inner);
    const isPlain = reference !== undefined && others.length === 0 && /^\$[\w$.()'"[\] -]+$/.test(inner);
    if (!isPlain || reference.hasFallback) return [];
    // What is called last is no field.
    const isCalled = inner.includes(`${reference.path.at(-1) ?? ""}(`);
    const path = isCalled ? reference.path.slice(0, -1) : reference.path;
    return path.length > 0 ? [{ ...reference, path }] : [];
  });
}

function toFinding(view: ExecutionView, name: string, reference: FieldReference): Finding {
  const run = view.runs.get(name)?.[0];
  const [item] = itemsReadBy(view, { run }, reference);
  const path = pathText(reference.path);
  const from = item === undefined ? name : originOf(view, item, reference.path).from;
  return {
    cause: "field_empty",
    node: name,
    field: path,
    sentence: `${quoted(name)} reads ${quoted(path)}, which is in nothing that ${quoted(from)} sent: it came out empty.`,
    confidence: "observed",
  };
}
