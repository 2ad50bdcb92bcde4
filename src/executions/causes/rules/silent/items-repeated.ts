/**
 * Work that is done more often than intended. Facts: a node runs once for each item; a node to which two branches
 * lead runs once for each of them, unless a Merge joins them; a Switch that sends to all matching outputs, and a
 * classifier of several classes, send an item by several outputs; a join repeats an item for each match.
 */

import { lengthOf } from "../../../../json/members.ts";
import { isReadObject } from "../../../../json/omitted.ts";
import type { NodeRun, WorkflowNode } from "../../../../n8n/schemas.ts";
import { memoizeByObject } from "../../../../platform/memoize.ts";
import { sumOf } from "../../../../platform/sum-of.ts";
import { countItems, usedOutputs } from "../../../node-runs.ts";
import {
  type ExecutionView,
  inputsOf,
  joined,
  parameterOf,
  pathBack,
  ranAfter,
  type SentItems,
  type Step,
  sentInAll,
} from "../../execution-view.ts";
import type { Fact } from "../../fact.ts";
import { readBy, valueAt } from "../../field-origin.ts";
import { referencesOf, textsOf } from "../../field-references.ts";
import { isWordOf } from "../../names-in-error.ts";
import { acts, actsFrom, dependsOnItem, isMessage, reads, SHAPES } from "../../node-effects.ts";
import { isCodeForAll, mergesIn } from "../../node-kinds.ts";
import { ofNodes, type Rule } from "../../rule.ts";
import { keysOf } from "./mistaken-types.ts";
import { inputCountOf, unlessUsual } from "./usual.ts";

const oncePerItem = ofNodes((view, node, definition, runs) => {
  if (!acts(definition) || definition.executeOnce === true) return null;
  const { length: count, items } = joined(runs.map(view.inputOf));
  const [from = null, ...others] = new Set(items.map((item) => item.from));
  if (count < 2 || others.length > 0 || sentInAll(view, node).length !== count) return null;
  const isSame = isMessage(definition) && !dependsOnItem(definition);
  const [before] = view.successes.filter((one) => one.runs.has(node));
  const was = before === undefined ? null : inputCountOf(before, node);
  const isLoop = runs.length > 1;
  if (!isSame && (isLoop || was !== 1)) return null;
  const confidence = isSame && !isLoop ? "likely" : "observed";
  return { kind: "repeated", node, from, count, isSame, was, confidence };
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
  const ways = runs.map((run) => pathBack(view, run));
  const [one = [], other = []] = ways;
  if (runs.length < 2 || !acts(definition) || one[0]?.name === other[0]?.name) return null;
  // In a loop, a node runs several times on purpose.
  const isLoop = other.some(
    ({ name }, index) => name === node || other.findIndex((step) => step.name === name) < index,
  );
  const isSameStep = (step: Step) => (each: Step) => each.name === step.name && each.run === step.run;
  const fork = one.find((step) => other.some(isSameStep(step)));
  if (isLoop || fork === undefined || fork.output !== other.find(isSameStep(fork))?.output) return null;
  const forked = ways.filter((way) => way.some(isSameStep(fork)));
  const branches = [...new Set(forked.flatMap(([step]) => step?.name ?? []))];
  const given = runs.map((run) => JSON.stringify(view.inputOf(run).items.map(({ json }) => json)));
  const isSame = (isMessage(definition) && !dependsOnItem(definition)) || new Set(given).size === 1;
  const confidence = isSame ? "likely" : "observed";
  const fact = { node, from: fork.name, branches, times: runs.length, isSame } as const;
  return { kind: "repeated.branches", ...fact, confidence };
});

/** How often a list of items repeats the same shorter list. */
function timesRepeated({ items, length }: SentItems): number {
  const texts = items.length < length ? [] : items.map(({ json }) => JSON.stringify(json));
  const sizes = texts.map((_, index) => index + 1);
  const size = sizes.find((one) => length % one === 0 && texts.every((text, at) => text === texts[at % one]));
  return size === undefined ? 1 : length / size;
}

/** Items that are the same again: read once for each of the items before, or made by code. */
const givenAgain = ofNodes((view, node, definition, [run]) => {
  const isOwn = referencesOf(definition).every((one) => one.node === null);
  if (run === undefined || !acts(definition) || definition.executeOnce === true || !isOwn) return null;
  const given = view.inputOf(run);
  const times = timesRepeated(given);
  const root = pathBack(view, run).find(({ name, run: index }) => {
    const own = view.runsOf(name)[index];
    return times > 1 && own !== undefined && timesRepeated(view.inputOf(own)) < times;
  });
  const maker = view.nodes.get(root?.name ?? "");
  if (root === undefined || maker === undefined) return null;
  const isAsked = reads(maker) && !dependsOnItem(maker) && inputCountOf(view, root.name) > 1;
  if (!isAsked && !isCodeForAll(maker)) return null;
  const counts = { times, distinct: given.length / times, isAsked } as const;
  const confidence = isAsked ? "likely" : "observed";
  return { kind: "repeated.given", node: root.name, by: node, ...counts, confidence };
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

const byCombiningAll = ofNodes((view, node, definition, [run]) => {
  const given = run === undefined ? [] : inputsOf(view, run).map(({ length }) => length);
  if (!mergesIn(definition, /^(?:combineAll|multiplex)$/) || Math.min(...given) < 2) return null;
  const sent = view.sentBy(node).length;
  return { kind: "repeated.crossed", node, given, sent, confidence: "observed" };
});

/** To do these again changes nothing. */
const REPEATABLE = /^(?:put|patch|delete|update|upsert|appendOrUpdate|remove)/i;
const DELIVERS = /\.(?:webhook|formTrigger)$/;
/** What is asked for things that are still to be done, which are fewer when they are done; not the verb "Open …". */
const OF_WHAT_IS_LEFT =
  /(?<![a-z]|^\[")(?:open|new|pending|un\w{2,20}ed|unread|unsent|processed|to_?do|queue|waiting|due|since)(?![a-z])/i;
/** A long loop is not compared. */
const MAX_RUNS = 100;
const HAS_IDENTIFIER = /"(?=[^"\s]*\d)[^"\s]{3,60}"|\d{4}/;

/** All values that a node's parameters read. */
const valuesReadBy = (view: ExecutionView, node: string, definition: WorkflowNode): string =>
  JSON.stringify(
    view
      .runsOf(node)
      .flatMap((run) =>
        referencesOf(definition).map((reference) =>
          readBy(view, run, reference).items.map(({ json }) => valueAt(json, reference.path) ?? null),
        ),
      ),
  );

/** Nothing in n8n remembers what was done: what comes again is done again. */
export const sentBefore: Rule = ofNodes((view, node, definition, runs) => {
  const [run] = runs;
  const how = String(parameterOf(definition, "method") ?? parameterOf(definition, "operation") ?? "");
  if (run === undefined || runs.length > MAX_RUNS || !acts(definition) || REPEATABLE.test(how)) return null;
  const from = pathBack(view, run).find(({ name }) => !SHAPES.test(view.typeOf(name)))?.name ?? "";
  const source = view.nodes.get(from);
  const isDelivered = DELIVERS.test(source?.type ?? "");
  const isLeft = reads(source) && OF_WHAT_IS_LEFT.test(JSON.stringify([from, source?.parameters]));
  const now = valuesReadBy(view, node, definition);
  if (!(isDelivered || isLeft) || !HAS_IDENTIFIER.test(now)) return null;
  const before = view.successes.filter(({ runs }) => runs.has(node));
  const [same, ...others] = before.filter((one) => valuesReadBy(one, node, definition) === now);
  if (same === undefined || (!isDelivered && others.length + 1 < before.length)) return null;
  return { kind: "repeated.before", node, from, before: same.execution.id, confidence: "observed" };
});

const perItem = memoizeByObject(unlessUsual(oncePerItem, "likely"));
const isTheSame = (fact: Fact): boolean => fact.kind === "repeated" && fact.isSame;

/** Many things can cause more items than before, so this comes last. */
export const moreOftenThanBefore: Rule = (view) => perItem(view).filter((fact) => !isTheSame(fact));

export const REPEATED_RULES: readonly Rule[] = [
  unlessUsual(samePages, "likely"),
  (view) => perItem(view).filter(isTheSame),
  unlessUsual(givenAgain, "likely"),
  unlessUsual(bySeveralBranches),
  unlessUsual(bySeveralOutputs),
  unlessUsual(byJoin),
  unlessUsual(byCombiningAll),
];
