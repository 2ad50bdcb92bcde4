/**
 * Fact: a Text Classifier discards what fits no category (its default), and an Information Extractor or a parser leaves
 * out what the model did not find: both are successes.
 */
import { memberOf } from "../../../../json/members.ts";
import { isReadObject, type ReadValue } from "../../../../json/omitted.ts";
import { sumOf } from "../../../../platform/sum-of.ts";
import { attachedTo } from "../../../agent-run/calls.ts";
import { expectedFields } from "../../../agent-run/parser-call.ts";
import { countItems, dataOutputs } from "../../../node-runs.ts";
import { type ExecutionView, nextOf, parameterOf } from "../../execution-view.ts";
import type { Fact } from "../../fact.ts";
import { expressionTextsOf, referencesIn } from "../../field-references.ts";
import { ofNodes, type Rule } from "../../rule.ts";

const CLASSIFIER = /^@n8n\/n8n-nodes-langchain\.(?:textClassifier|sentimentAnalysis)$/;

function droppedBy(view: ExecutionView, node: string) {
  const runs = view.runsOf(node).filter(({ error }) => error === undefined);
  const isInSeveral = parameterOf(view.nodes.get(node), "options", "multiClass") === true;
  const given = sumOf(runs, (run) => view.inputOf(run).length);
  const dropped = sumOf(runs, (run) => {
    const outputs = dataOutputs(run.data);
    // An item may have left by several outputs.
    const left = new Set(
      outputs.flatMap(({ items }) => items.map((item) => JSON.stringify(memberOf(item, "json")))),
    );
    const isRead = outputs.every(({ items, length }) => items.length === length);
    const { items, length } = view.inputOf(run);
    const missing = items.filter(({ json }) => !left.has(JSON.stringify(json))).length;
    return isInSeveral && isRead ? missing : Math.max(0, length - countItems(run));
  });
  return { given, dropped };
}

export const noCategory = ofNodes((view, node, own) => {
  if (!CLASSIFIER.test(own.type) || parameterOf(own, "options", "fallback") === "other") return null;
  const { given, dropped } = droppedBy(view, node);
  if (dropped === 0) return null;
  const before = view.successes.filter(({ runs }) => runs.has(node));
  const isUsual = before.length === 0 || before.some((success) => droppedBy(success, node).dropped > 0);
  const skipped = [...new Set(nextOf(view, node))].filter((name) => !view.runs.has(name));
  const confidence = isUsual ? "observed" : "likely";
  return { kind: "no_category", node, given, dropped, skipped, confidence };
});

const isNothing = (value: ReadValue | undefined): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === "string" && /^\s*(?:null|undefined)?\s*$/i.test(value));

/** The `output` of each item of the node's first run. */
function extractedBy(view: ExecutionView, node: string): ReadValue[] {
  const { items } = view.sentBy(node);
  return items.flatMap(({ json }) => {
    const output = memberOf(json, "output");
    return isReadObject(output) ? [output] : [];
  });
}

const MAX_FIELDS = 20;

/** Fields that the model was to fill and left empty, though it filled them in each success before or must fill them. */
export const notExtracted: Rule = (view) =>
  [...new Set(view.agentRuns.map(({ agent }) => agent.nodeName))].flatMap((node): Fact[] => {
    const items = extractedBy(view, node);
    const parsers = attachedTo(view.execution, node, "ai_outputParser");
    const expected = [node, ...parsers].flatMap((name) => expectedFields(view.nodes.get(name)));
    const before = view.successes.flatMap((success) => extractedBy(success, node));
    return expected.slice(0, MAX_FIELDS).flatMap(({ name: field, isRequired }): Fact[] => {
      const empty = items.filter((item) => isNothing(memberOf(item, field))).length;
      if (empty === 0) return [];
      const isUsual = before.length === 0 || before.some((item) => isNothing(memberOf(item, field)));
      const reader = readerOf(view, node, field);
      if (isUsual && !isRequired) return [];
      const confidence = reader !== null && !isUsual ? "likely" : "observed";
      return [{ kind: "not_extracted", node, field, reader, items: empty, of: items.length, confidence }];
    });
  });

/** A node that reads the field without a fallback. */
function readerOf(view: ExecutionView, from: string, field: string): string | null {
  const reads = (name: string): boolean =>
    expressionTextsOf(view.nodes.get(name))
      .flatMap(referencesIn)
      .some(({ path, hasFallback }) => !hasFallback && path[0] === "output" && path[1] === field);
  return [...view.runs.keys()].find((name) => name !== from && reads(name)) ?? null;
}
