/**
 * One item is used where there are several. Facts: `$input.first()`, `items[0]`, and `$json` in code that runs once
 * for all items, give the first item alone; Execute Once gives a node its first item; `$('Node').first()` is the
 * same value for every item; a webhook that answers with the first item answers with no other.
 */

import { itemsOf, type ReadValue } from "../../../../json/omitted.ts";
import type { NodeRun, WorkflowNode } from "../../../../n8n/schemas.ts";
import { closureOf } from "../../../../platform/closure.ts";
import { pattern } from "../../../../platform/pattern.ts";
import { countItems } from "../../../node-runs.ts";
import { type ExecutionView, parameterOf } from "../../execution-view.ts";
import { findAt, readBy, valueAt } from "../../field-origin.ts";
import {
  expressionTextsOf,
  type FieldReference,
  pathText,
  referencesIn,
  referencesOf,
  textsOf,
} from "../../field-references.ts";
import { acts, actsFrom, dependsOnItem } from "../../node-effects.ts";
import { DECIDES, isCodeForAll } from "../../node-kinds.ts";
import { ofNodes, type Rule } from "../../rule.ts";
import { inputCountOf, largestOutputOf, unlessUsual, withoutComments } from "./usual.ts";

const ONE_OF =
  /[$_]input\.(?:first|last)\(\)|[$_]input\.item\b|[$_]input\.all\(\)(?:\[0\]|\.at\(0\))|(?<![.\w$])_?items\[0\]|[$_]json\b/g;
const ALL = /[$_]input\b|[$_]items\b|\.all\(|(?<![.\w$'"])items\b(?!\s{0,5}[:'"])/;
const ALIAS =
  /(?:(?:const|let|var)\s{1,5})?(?<![\w$])([A-Za-z_$][\w$]*)\s{0,5}=\s{0,5}[$_]input\.all\(\)(?!\s{0,5}[.[])/;
const TAKES_FIRST = /\[\s{0,5}[A-Za-z_$][\w$]*\s{0,5}\]\s{0,5}=\s{0,5}(?:[$_]input\.all\(\)|items\b)/g;
const OWN_ITEMS = /\b(?:const|let|var)\s{1,5}items\s{0,5}=/;

/** Whether code that is given all items reads one of them, and no others; `last` if that is the last. */
function itemReadBy(code: string): "first" | "last" | null {
  const plain = withoutComments(code).replaceAll(TAKES_FIRST, " $input.first() ");
  const [declared, alias] = ALIAS.exec(plain) ?? [];
  const text =
    declared === undefined || alias === undefined
      ? plain
      : plain.replace(declared, "").replaceAll(`${alias}[0]`, " $input.first() ");
  const rest = text.replaceAll(ONE_OF, "");
  if (rest === text) return null;
  const isAliased = alias !== undefined && rest.includes(alias);
  const others = OWN_ITEMS.test(rest) ? rest.replaceAll(/\bitems\b/g, "") : rest;
  if (isAliased || ALL.test(others)) return null;
  return /input\.last\(\)/.test(text) ? "last" : "first";
}

const CODES = ["jsCode", "pythonCode", "functionCode"];

/** After sorting, the first item is the newest or the best, so reading it alone is intended. */
export const isOrdered = (view: ExecutionView, { source }: NodeRun): boolean => {
  const sender = view.nodes.get(source[0]?.previousNode ?? "");
  const texts = [sender?.type ?? "", ...textsOf(sender?.parameters)];
  return texts.some((text) => /\border\s?by\b|\bsort/i.test(text));
};

const readsOne = ofNodes((view, node, definition, runs) => {
  if (!isCodeForAll(definition)) return null;
  const code = CODES.map((name) => parameterOf(definition, name)).find((text) => typeof text === "string");
  const which = typeof code === "string" ? itemReadBy(code) : null;
  const run = runs.find((one) => view.inputOf(one).length > 1);
  if (which === null || run === undefined) return null;
  const given = view.inputOf(run).length;
  const sent = countItems(run);
  const isLess = sent > 0 && sent < given && actsFrom(view, node) && !isOrdered(view, run);
  return { kind: "items_unread", node, which, given, sent, confidence: isLess ? "likely" : "observed" };
});

/** n8n's own code reads these parameters of the first item, whatever the number of items. */
const READ_ONCE: readonly (readonly [types: RegExp, parameters: readonly string[]])[] = [
  [/\.googleSheets$/, ["documentId", "sheetName"]],
  [/\.postgres$/, ["schema", "table"]],
  [/\.airtable$/, ["base", "table"]],
  [/\.nocoDb$/, ["projectId", "table"]],
  [/\.executeWorkflow$/, ["workflowId"]],
];

/** The parameters that a node evaluates once for all items; the first one's name if it still treats them all. */
function readOnceOf(node: WorkflowNode): readonly [name: string | null, parameters: ReadValue] {
  if (node.executeOnce === true) return [null, node.parameters ?? null];
  const [, names = []] = READ_ONCE.find(([types]) => types.test(node.type)) ?? [];
  const name = names.find((one) => textsOf(parameterOf(node, one)).some((text) => text.startsWith("=")));
  return name === undefined || parameterOf(node, "mode") === "each"
    ? [null, {}]
    : [name, { [name]: parameterOf(node, name) ?? null }];
}

const runsOnce = ofNodes((view, node, definition, runs) => {
  const [parameter, parameters] = readOnceOf(definition);
  const once = { ...definition, parameters };
  const run = runs.find((one) => view.inputOf(one).length > 1);
  if (run === undefined || isCodeForAll(definition) || !dependsOnItem(once)) return null;
  const { items, length: given } = view.inputOf(run);
  const own = referencesOf(once).filter((one) => one.node === null);
  // A value that is the same in all items may be sent once on purpose.
  const differs = own.some(
    ({ path }) => new Set(items.map(({ json }) => JSON.stringify(findAt(json, path)))).size > 1,
  );
  if (parameter !== null)
    return differs ? { kind: "items_unread.parameter", node, parameter, given, confidence: "likely" } : null;
  const isLikely = differs && acts(definition);
  return { kind: "items_unread.once", node, given, confidence: isLikely ? "likely" : "observed" };
});

const FIRST_OF = pattern("g")`
  (?:\$\(\s{0,3}(?:'([^'\n]{1,200})'|"([^"\n]{1,200})")\s{0,3}\)|\$input)\.
  (?:(first|last)\(\)|all\(\)\[0\])\.json((?:\??\.[A-Za-z_$][\w$]*){1,8})(\()?
`;

interface OneForAll {
  readonly from: string;
  readonly which: "first" | "last";
  readonly path: readonly string[];
}

function onesIn(text: string, sender: string): OneForAll[] {
  return [...text.matchAll(FIRST_OF)].flatMap(([, single, double, which, members = "", call]) => {
    const path = members.split(/\??\./).slice(1, call === undefined ? undefined : -1);
    const from = single ?? double ?? sender;
    return path.length === 0 || from === ""
      ? []
      : [{ from, which: which === "last" ? "last" : "first", path }];
  });
}

/** Whether each item has a value of its own there, of which only one is read for all. */
function isOneOfMany(view: ExecutionView, { from, path }: OneForAll, count: number): boolean {
  if (view.runsOf(from).length !== 1) return false;
  const { items, length } = largestOutputOf(view, from);
  const values = items.map(({ json }) => valueAt(json, path) ?? null);
  const isPlain = (value: ReadValue): boolean => typeof value === "string" || typeof value === "number";
  return length === count && count > 1 && values.every(isPlain) && new Set(values).size === values.length;
}

/** Whether the text also reads the item's own field, so that the other one is a base value. */
const isComparedWithOwn = (text: string, { path }: OneForAll): boolean =>
  referencesIn(text).some((own) => typeof own.which !== "number" && own.path.at(-1) === path.at(-1));

const sameForAll = ofNodes((view, node, definition) => {
  // A condition may well ask about the first of a list.
  const isOnce = isCodeForAll(definition) || definition.executeOnce === true;
  if (isOnce || DECIDES.test(definition.type)) return null;
  const count = inputCountOf(view, node);
  const sendersOf = (name: string): string[] =>
    view.runsOf(name).flatMap(({ source }) => source.flatMap((one) => one?.previousNode ?? []));
  const [sender = ""] = sendersOf(node);
  const one = expressionTextsOf(definition)
    .flatMap((text) => onesIn(text, sender).filter((each) => !isComparedWithOwn(text, each)))
    .find((each) => isOneOfMany(view, each, count) && closureOf(sendersOf(node), sendersOf).has(each.from));
  if (one === undefined) return null;
  const { from, which, path } = one;
  return { kind: "items_unread.same", node, field: pathText(path), from, which, count, confidence: "likely" };
});

/** How many entries the list has that `[0]` in a path selects from; null if there is none. */
function listAt(view: ExecutionView, node: string, reference: FieldReference, at: number) {
  const [run] = view.runsOf(node);
  const [item, ...others] = run === undefined ? [] : readBy(view, run, reference).items;
  if (item === undefined || others.length > 0) return null;
  const list = valueAt(item.json, reference.path.slice(0, at));
  return Array.isArray(list) ? { from: item.from, count: itemsOf(list).length } : null;
}

/** Whether a node reads the whole list, or another entry of it. */
const readsMore = ({ nodes }: ExecutionView, list: readonly string[]): boolean =>
  [...nodes.values()].flatMap(referencesOf).some(({ path }) => {
    const shared = Math.min(path.length, list.length);
    const isSame = shared > 0 && path.slice(0, shared).every((key, index) => key === list[index]);
    return isSame && path[list.length] !== "0";
  });

/** A list that had one entry in all of the last successes, and has more. */
const firstOfList = ofNodes((view, node, definition) => {
  const before = view.successes.filter(({ runs }) => runs.has(node));
  const [last] = before;
  if (last === undefined || isCodeForAll(definition) || !actsFrom(view, node)) return null;
  for (const reference of referencesOf(definition)) {
    const at = reference.path.lastIndexOf("0");
    const list = at < 1 ? null : listAt(view, node, reference, at);
    if (list === null || list.count < 2) continue;
    const wasOne = before.every((one) => listAt(one, node, reference, at)?.count === 1);
    const path = reference.path.slice(0, at);
    if (!wasOne || readsMore(view, path)) continue;
    const fact = { node, field: pathText(path), ...list, before: last.execution.id } as const;
    return { kind: "items_unread.list", ...fact, confidence: "observed" };
  }
  return null;
});

/** What a webhook answers with, if it is one item; that is the default, too. */
const FIRST_ITEM = /^(?:|firstIncomingItem|firstEntryJson)$/;

const answersFirst = ofNodes((view, node, definition) => {
  const [trigger = ""] = view.runs.keys();
  const start = view.nodes.get(trigger);
  const mode = parameterOf(start, "responseMode");
  const isLast = mode === "lastNode" && [...view.runs.keys()].at(-1) === node && node !== trigger;
  const isAnswer = definition.type === "n8n-nodes-base.respondToWebhook";
  const what = parameterOf(isAnswer ? definition : start, isAnswer ? "respondWith" : "responseData");
  if (!(isAnswer || isLast) || !FIRST_ITEM.test(String(what ?? ""))) return null;
  const given = isAnswer ? inputCountOf(view, node) : view.sentBy(node, view.runsOf(node).length - 1).length;
  return given > 1 ? { kind: "items_unread.answer", node, given, confidence: "observed" } : null;
});

export const FIRST_RULES: readonly Rule[] = [
  unlessUsual(sameForAll, "likely"),
  unlessUsual(runsOnce),
  unlessUsual(readsOne),
  unlessUsual(firstOfList),
];

/** Many callers of webhooks need no more than the first item, so this comes last. */
export const answeredWithFirst: Rule = unlessUsual(answersFirst, "nothing");
