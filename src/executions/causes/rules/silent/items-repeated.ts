/**
 * Work that is done more often than intended. Facts: a node runs once for each item; a node to which two branches
 * lead runs once for each of them, unless a Merge joins them; a Switch that sends to all matching outputs, and a
 * classifier of several classes, send an item by several outputs; a join repeats an item for each match.
 */

import { lengthOf } from "../../../../json/members.ts";
import { isReadObject } from "../../../../json/omitted.ts";
import type { NodeRun } from "../../../../n8n/schemas.ts";
import { memoizeByObject } from "../../../../platform/memoize.ts";
import { sumOf } from "../../../../platform/sum-of.ts";
import { countItems, usedOutputs } from "../../../node-runs.ts";
import {
  type ExecutionView,
  inputsOf,
  parameterOf,
  pathBack,
  ranAfter,
  type SentItems,
} from "../../execution-view.ts";
import type { Fact } from "../../fact.ts";
import { textsOf } from "../../field-references.ts";
import { isWordOf } from "../../names-in-error.ts";
import { acts, actsFrom, dependsOnItem, isMessage } from "../../node-effects.ts";
import { ofNodes, type Rule } from "../../rule.ts";
import { keysOf } from "./mistaken-types.ts";
import { unlessUsual } from "./usual.ts";

const oncePerItem = ofNodes((view, node, definition, [run]) => {
  if (run === undefined || !acts(definition) || definition.executeOnce === true) return null;
  const { length: count, items } = view.inputOf(run);
  if (count < 2 || view.sentBy(node).length !== count) return null;
  const isSame = isMessage(definition) && !dependsOnItem(definition);
  const [before] = view.successes.filter(({ runs }) => runs.has(node));
  const [ranBefore] = before?.runs.get(node) ?? [];
  const was = ranBefore === undefined ? null : (before?.inputOf(ranBefore).length ?? null);
  if (!isSame && was !== 1) return null;
  const from = items[0]?.from ?? null;
  return { kind: "repeated", node, from, count, isSame, was, confidence: isSame ? "likely" : "observed" };
});

const SENDS_TO_SEVERAL = ["allMatchingOutputs", "multiClass"];

const bySeveralOutputs = ofNodes((view, node, definition, runs) => {
  if (!SENDS_TO_SEVERAL.some((option) => parameterOf(definition, "options", option) === true)) return null;
  const repeatsOf = (run: NodeRun): number => countItems(run) - view.inputOf(run).length;
  const run = runs.find((one) => repeatsOf(one) > 0);
  if (run === undefined) return null;
  const outputs = usedOutputs(run);
  const targets = outputs.flatMap((output) => view.targetsOf(node)[output]?.[0]?.node ?? []);
  if (targets.length < 2) return null;
  const areActing = targets.every((target) => actsFrom(view, target));
  const confidence = areActing ? "likely" : "observed";
  return { kind: "repeated.outputs", node, outputs, targets, times: repeatsOf(run), confidence };
});

const bySeveralBranches = ofNodes((view, node, definition, runs) => {
  const [first, second] = runs;
  if (first === undefined || second === undefined || !acts(definition)) return null;
  const [one, other] = [pathBack(view, first), pathBack(view, second)];
  // In a loop, a node runs several times on purpose.
  const isLoop = other.some(
    ({ name }, index) => name === node || other.findIndex((step) => step.name === name) < index,
  );
  const fork = one.find((step) => other.some(({ name, run }) => name === step.name && run === step.run));
  const same = other.find(({ name, run }) => name === fork?.name && run === fork?.run);
  const [from, to] = [one[0]?.name, other[0]?.name];
  if (isLoop || fork === undefined || fork.output !== same?.output) return null;
  if (from === undefined || to === undefined || from === to) return null;
  const [given, again] = [first, second].map((run) =>
    JSON.stringify(view.inputOf(run).items.map(({ json }) => json)),
  );
  const isSame = (isMessage(definition) && !dependsOnItem(definition)) || given === again;
  const confidence = isSame ? "likely" : "observed";
  const ways = { from: fork.name, branches: [from, to], times: runs.length };
  return { kind: "repeated.branches", node, ...ways, isSame, confidence };
});

/** All pages are the same, so the parameter that should request the next one has no effect. */
const samePages = ofNodes((view, node, definition, [run]) => {
  const isPaged = parameterOf(definition, "options", "pagination") !== undefined;
  const { items, length } = view.sentBy(node);
  if (!isPaged || run === undefined || view.inputOf(run).length !== 1 || items.length < length) return null;
  const [first, ...others] = items.map(({ json }) => JSON.stringify(json));
  const page = items[0]?.json;
  const holdsRows = isReadObject(page) && Object.values(page).some((value) => (lengthOf(value) ?? 0) > 0);
  if (first === undefined || others.length === 0 || !holdsRows || others.some((one) => one !== first))
    return null;
  return { kind: "repeated.pages", node, pages: length, confidence: "likely" };
});

const MATCHES = ["combineByFields", "combineByKey", "mergeByFields"];
/** The other modes also send unmatched items, so that their number says nothing about matches. */
const ONLY_MATCHES = /^(?:keepMatches|enrichInput[12])?$/;

/** A join that adds to the items of one input what matches them in the other. */
const byJoin = ofNodes((view, node, definition, [run]) => {
  const mode = parameterOf(definition, "combineBy") ?? parameterOf(definition, "combinationMode");
  // Matching fields are the default, which n8n does not store.
  const isJoin =
    parameterOf(definition, "mode") === "combine" &&
    ["fieldsToMatchString", "mergeByFields"].some((name) => parameterOf(definition, name) !== undefined);
  if (run === undefined || !MATCHES.includes(String(mode ?? (isJoin ? MATCHES[0] : "")))) return null;
  const joinMode = String(parameterOf(definition, "joinMode") ?? "");
  if (!ONLY_MATCHES.test(joinMode)) return null;
  const own = joinMode === "enrichInput2" ? 1 : 0;
  const inputs = inputsOf(view, run);
  const given = inputs.map(({ length }) => length);
  const sent = view.sentBy(node).length;
  if (given.includes(0) || sent <= (given[own] ?? sent)) return null;
  const others = given[1 - own] ?? sent;
  // One item for each of the other input is intended: the orders of each customer.
  const isOneForEachOther = sent === others || (sent < others && isPassedOn(view, node, inputs, own));
  const isLikely = sent > sumOf(given, (count) => count) || (actsFrom(view, node) && !isOneForEachOther);
  const confidence = isLikely ? "likely" : "observed";
  const by = [...new Set(keysOf(definition).map((keys) => keys[own] ?? keys[0]))].slice(0, 2);
  return { kind: "repeated.joined", node, given, sent, input: own, by, confidence };
});

/** Whether a later acting node reads fields that only the other input has, so that each item stands for itself. */
function isPassedOn(view: ExecutionView, name: string, inputs: readonly SentItems[], own: number): boolean {
  const [keys = [], others = []] = [own, 1 - own].map((at) =>
    (inputs[at]?.items ?? []).flatMap(({ json }) => (isReadObject(json) ? Object.keys(json) : [])),
  );
  const texts = ranAfter(view, name)
    .map((one) => view.nodes.get(one))
    .filter(acts)
    .flatMap((node) => textsOf(node?.parameters));
  return others.some((key) => !keys.includes(key) && texts.some((text) => isWordOf(text, key)));
}

const perItem = memoizeByObject(unlessUsual(oncePerItem, "likely"));
const isTheSame = (fact: Fact): boolean => fact.kind === "repeated" && fact.isSame;

/** Many things can cause more items than before, so this comes last. */
export const moreOftenThanBefore: Rule = (view) => perItem(view).filter((fact) => !isTheSame(fact));

export const REPEATED_RULES: readonly Rule[] = [
  unlessUsual(samePages, "likely"),
  (view) => perItem(view).filter(isTheSame),
  unlessUsual(bySeveralBranches),
  unlessUsual(bySeveralOutputs),
  unlessUsual(byJoin),
];
