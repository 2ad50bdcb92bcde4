/**
 * Fact: IF and Filter send items that do not match to their other output, a Switch without a match sends nothing, a Merge
 * that waits for an input has `main: []` and a null source; the nodes after it do not run, and n8n shows a success. Many
 * workflows intend this, so it is reported only if nothing at all ran afterwards, and as an observation. Execute Workflow
 * has one output, and passes on all outputs of the sub-workflow's last node.
 */
import type { NodeRun } from "../../../n8n/schemas.ts";
import { firstFound } from "../../../platform/first-found.ts";
import { sumOf } from "../../../platform/sum-of.ts";
import { dataOutputs, orderOf } from "../../node-runs.ts";
import { type ExecutionView, errorRouteOf, inputsOf, nextOf } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { originOf, readWithout } from "../field-origin.ts";
import { type FieldReference, pathText } from "../field-references.ts";
import { fieldsTested } from "../fields-taken.ts";
import type { Rule } from "../rule.ts";

export const flowEndedEarly: Rule = (view) => {
  if (view.isWithheld || !view.hasConnections || view.execution.status !== "success") return [];
  return [...view.runs].flatMap(([name, runs]) => {
    const run = runs.at(-1);
    if (run === undefined || !isMain(run)) return [];
    const after = nodesAfter(view, name);
    if (after.length === 0 || after.some((node) => view.runs.has(node))) return [];
    if (!isLastThatRan(view, name) || errorRouteOf(view.nodes.get(name)) === "error output") return [];
    return endedAt(view, name, run, after) ?? [];
  });
};

const isMain = ({ data }: NodeRun): boolean =>
  data === undefined || Object.keys(data).length === 0 || "main" in data;

const nodesAfter = (view: ExecutionView, name: string): string[] =>
  [...new Set(nextOf(view, name))].filter((node) => {
    const definition = view.nodes.get(node);
    return definition !== undefined && definition.disabled !== true;
  });

function isLastThatRan({ runs }: ExecutionView, name: string): boolean {
  const own = orderOf(runs.get(name)?.at(-1));
  return [...runs].every(([other, of]) => other === name || orderOf(of.at(-1)) < own);
}

function endedAt(view: ExecutionView, node: string, run: NodeRun, skipped: readonly string[]): Fact | null {
  const definition = view.nodes.get(node);
  const type = definition?.type ?? "";
  const all = dataOutputs(run.data);
  const outputs = CALLS.test(type) ? all.slice(0, 1) : all;
  const sent = sumOf(outputs, ({ length }) => length);
  const given = view.inputOf(run).length;
  const tested = firstFound(fieldsTested(definition), (reference) => lackingIn(view, node, reference));
  const field = tested === null ? {} : { field: tested.path };
  const base = { node, skipped, tested, confidence: "observed", ...field } as const;
  if (sent > 0) {
    const used = outputs.flatMap(({ length }, index) => (length > 0 ? [index] : []));
    const isConnected = used.some((index) => (view.targetsOf(node)[index] ?? []).length > 0);
    return isConnected ? null : { kind: "dropped.unconnected", ...base, sent, outputs: used };
  }
  if (run.source.some((source) => source === null) && run.source.length > 1)
    return { kind: "input_missing", ...base };
  if (run.source.length === 0) return null;
  if (JOINS.test(type) && run.source.length > 1) {
    const counts = inputsOf(view, run).map(({ length }) => length);
    return { kind: "nothing_passed.joined", ...base, given: counts };
  }
  const isFetch = outputs.length <= 1 && (given <= 1 || CALLS.test(type)) && !PASSES.test(type);
  return isFetch
    ? { kind: "nothing_fetched", ...base, below: endOfCalled(view, node) }
    : { kind: "nothing_passed", ...base, given };
}

/** A tested field, if all items that a node was given are known and none has it. */
function lackingIn(view: ExecutionView, node: string, reference: FieldReference) {
  const read = readWithout(view, node, reference);
  const [item] = read?.items ?? [];
  if (read === null || item === undefined || read.items.length !== read.length) return null;
  return { path: pathText(reference.path), from: originOf(view, item, reference.path).from };
}

/** The last node of the sub-workflow that it called, if that was read. */
function endOfCalled(view: ExecutionView, node: string): { node: string; id: string } | null {
  const called = view.called.findLast(({ nodeName }) => nodeName === node)?.view.execution;
  const end = called?.data?.resultData?.lastNodeExecuted;
  return called === undefined || end == null ? null : { node: end, id: called.id };
}

const PASSES = /\.(?:if|filter|switch|removeDuplicates|limit|splitOut|merge|compareDatasets|splitInBatches)$/;
const CALLS = /\.executeWorkflow$/;
const JOINS = /\.merge$/;
