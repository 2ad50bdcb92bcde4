/**
 * Values of the wrong item. Facts: where a node gives no `pairedItem` and sends as many items as it was given, n8n
 * links them by position, and `$('Node').item` follows the link; `$node["Node"]`, `.all()[$itemIndex]` and Merge by
 * position use the position directly. `$('Node').first()` in a loop gives what the node sent last, perhaps in an
 * earlier round.
 */

import { lengthOf, memberOf, textAt } from "../../../../json/members.ts";
import { isReadObject } from "../../../../json/omitted.ts";
import type { NodeRun } from "../../../../n8n/schemas.ts";
import { orderOf } from "../../../node-runs.ts";
import { type ExecutionView, inputsOf, pathBack, type SentItem, sentInAll } from "../../execution-view.ts";
import { findAt } from "../../field-origin.ts";
import { expressionTextsOf, type FieldReference, referencesOf, textsOf } from "../../field-references.ts";
import { isWordOf } from "../../names-in-error.ts";
import { dependsOnItem } from "../../node-effects.ts";
import { isCodeForAll, LOOP } from "../../node-kinds.ts";
import { ofNodes, type Rule } from "../../rule.ts";
import { joinsByPosition } from "../left-over-items.ts";
import { inputCountOf, largestOutputOf, unlessUsual } from "./usual.ts";

const QUOTED = String.raw`\(?(?:'([^'\n]{1,200})'|"([^"\n]{1,200})")\)?`;
const BY_LINK = new RegExp(String.raw`\$${QUOTED}\.item\.json`, "g");
const BY_POSITION = new RegExp(
  String.raw`\$(?:node\[|items)?${QUOTED}(?:\]\.json|(?:\.all\(\))?\[\$itemIndex\])`,
  "g",
);

const isPlain = (value: unknown): value is string | number =>
  (typeof value === "string" && value !== "") || typeof value === "number";

const keysOf = (items: readonly SentItem[]): string[] =>
  isReadObject(items[0]?.json) ? Object.keys(items[0].json) : [];

/** The fields that tell items apart, with the place of each value: no two items have the same text or number there. */
const columnsOf = (items: readonly SentItem[]) =>
  keysOf(items).flatMap((field) => {
    const values = items.map(({ json }) => memberOf(json, field)).filter(isPlain);
    const places = new Map(values.map((value, index) => [value, index]));
    return places.size === items.length ? [[field, places] as const] : [];
  });

/**
 * How many items are at another position than their counterpart in `others`: the one with the same value of a field
 * that is unique in both. Texts are compared across field names; the pair of fields that differs least counts.
 */
function countMisplaced(items: readonly SentItem[], others: readonly SentItem[]): number {
  const known = others.length < 2 ? [] : columnsOf(others);
  const counts = columnsOf(items).flatMap(([field, places]) => {
    const own = [...places];
    const isText = own.every(([value]) => typeof value === "string");
    return known.flatMap(([other, there]) =>
      (field === other || isText) && own.every(([value]) => there.has(value))
        ? [own.filter(([value, index]) => there.get(value) !== index).length]
        : [],
    );
  });
  return counts.length === 0 ? 0 : Math.min(...counts);
}

const differs = (items: readonly SentItem[], path: readonly string[]): boolean =>
  new Set(items.map(({ json }) => JSON.stringify(findAt(json, path)))).size > 1;

const namesIn = (texts: readonly string[], form: RegExp): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(form)].map(([, one, other]) => one ?? other ?? ""))),
];

const READS_ALL = /[$_]input\.all\(|\bitems\b/;
const MAKES_NEW = /\bjson["']?\s{0,5}[:}]|\breturn\s{0,5}\[?\s{0,5}\{(?!\s{0,9}\.{3}\w{1,40}\s{0,5}[,}])/;
/** Returned expressions that are new items to n8n, without `json`: `=> ({ a })`, `push({ a })`, `=> item.json`. */
const OF_NEW =
  /(?:=>\s{0,5}\(|\bpush\()\s{0,5}\{(?!\s{0,9}\.{3}\w{1,40}\s{0,5}[,}])|=>\s{0,5}\w{1,40}\.json\s{0,5}[),]/;

/** Whether code sends the very items that it was given, which have their links already. */
function passesItemsOn(code: string): boolean {
  const text = code.replaceAll(DESTRUCTURED, "");
  const returned = text.slice(text.lastIndexOf("return"));
  const [, name = ""] = /^return\s{1,5}(?:\[\s?\.{3})?(\w{1,40})\b/.exec(returned) ?? [];
  const own = text
    .split("\n")
    .filter((line) => name !== "" && isWordOf(line, name) && !line.includes("return"));
  return (
    READS_ALL.test(text) && !MAKES_NEW.test(text) && ![returned, ...own].some((part) => OF_NEW.test(part))
  );
}

/** `({ json: a }, { json: b }) =>` makes nothing, and `{ ...item, json: {} }` keeps the link. */
const DESTRUCTURED =
  /\{[^{}]{0,80}\}(?=(?:\s?,\s?\{[^{}]{0,80}\})?\s?\)\s?=>)|\{\s{0,9}\.{3}\w{1,40},\s{0,9}json\b/g;

/** Whether n8n linked a node's items by position, because its code sets no links. */
function isLinkedByPosition(view: ExecutionView, name: string): boolean {
  const node = view.nodes.get(name);
  const [run] = view.runsOf(name);
  const hasLinks = textsOf(node?.parameters).some(
    (text) => text.includes("pairedItem") || passesItemsOn(text),
  );
  if (!isCodeForAll(node) || run === undefined || hasLinks) return false;
  // n8n links the only item that is made of several to the first of them.
  return [1, view.inputOf(run).length].includes(largestOutputOf(view, name).length);
}

const readsAnother = ofNodes((view, node, definition, [run]) => {
  const texts = expressionTextsOf(definition);
  const byLink = namesIn(texts, BY_LINK);
  const way = run === undefined ? [] : pathBack(view, run);
  for (const from of [...byLink, ...namesIn(texts, BY_POSITION)]) {
    const given = largestOutputOf(view, from).items;
    const end = way.findIndex(({ name }) => name === from);
    const changed = way.slice(0, Math.max(0, end)).flatMap(({ name, run: index, output }) => {
      const count = countMisplaced(view.sentBy(name, index, output).items, given);
      return count > 0 ? [{ name, count }] : [];
    });
    const [nearest, isLinked] = [changed[0], byLink.includes(from)];
    const by = changed.at(-1)?.name;
    if (nearest === undefined || by === undefined || (isLinked && !isLinkedByPosition(view, by))) continue;
    if (!referencesOf(definition).some((one) => one.node === from && differs(given, one.path))) continue;
    const { count } = nearest;
    return { kind: "items_mixed", node: by, reader: node, from, count, isLinked, confidence: "likely" };
  }
  return null;
});

const mergesOthers = ofNodes((view, node, definition, [run]) => {
  if (!joinsByPosition(definition) || run?.source.length !== 2) return null;
  const [first = [], second = []] = inputsOf(view, run).map(({ items }) => items);
  const count = countMisplaced(first, second) || countMisplaced(second, first);
  // A list that was made from the other one, under new names, may have its own order on purpose.
  const ways = run.source.map((source) =>
    pathBack(view, { ...run, source: [source] }).map(({ name }) => name),
  );
  const isMade = ways.some((way, index) => way.includes(ways[1 - index]?.[0] ?? ""));
  const isRenamed =
    new Set([...keysOf(first), ...keysOf(second)]).size === keysOf(first).length + keysOf(second).length;
  return count > 0 && !(isMade && isRenamed)
    ? { kind: "items_mixed.merged", node, count, confidence: "likely" }
    : null;
});

const LATEST_OF = new RegExp(
  String.raw`\$(?:node\[|items)?${QUOTED}(?:\]\.json|\[0\]\.json|\.(?:first|last|all)\(\))`,
  "g",
);

/** Whether a later round's item is the same in all fields that the node reads, so that it need not run again. */
function isGivenTheSame(view: ExecutionView, name: string, run?: NodeRun, later?: SentItem): boolean {
  const [given] = run === undefined ? [] : view.inputOf(run).items;
  const read = referencesOf(view.nodes.get(name));
  const isSame = ({ node, path }: FieldReference): boolean => {
    const value = JSON.stringify(memberOf(given?.json, ...path));
    return node === null && value !== undefined && value === JSON.stringify(memberOf(later?.json, ...path));
  };
  return read.length > 0 && read.every(isSame);
}

const readsEarlierRound = ofNodes((view, node, { parameters, type }, own) => {
  const loops = [...view.runs].filter(([name]) => view.typeOf(name) === LOOP);
  if (type === LOOP || own.length < 2 || loops.length === 0) return null;
  for (const from of namesIn(textsOf(parameters), LATEST_OF)) {
    const read = view.runsOf(from);
    // A node that first ran later, or that does the same in every round, is read on purpose.
    if (read.length === 0 || orderOf(read[0]) > orderOf(own[0]) || !dependsOnItem(view.nodes.get(from)))
      continue;
    for (const [loop, rounds] of loops) {
      if (from === loop || orderOf(read[0]) < orderOf(rounds[0]) || orderOf(own[0]) < orderOf(rounds[0]))
        continue;
      const stale = own.findIndex((run, index) => {
        const at = rounds.findLastIndex((one) => orderOf(one) < orderOf(run));
        const round = rounds[at];
        const last = read.findLast((one) => orderOf(one) < orderOf(run));
        const isInLoop = view.sentBy(loop, at, 1).length > 0;
        const isStale = index > 0 && isInLoop && orderOf(last) < orderOf(round);
        return isStale && !isGivenTheSame(view, from, last, view.sentBy(loop, at, 1).items[0]);
      });
      if (stale >= 0)
        return { kind: "stale_value", node, from, loop, run: stale, of: own.length, confidence: "likely" };
    }
  }
  return null;
});

const isReadByIndex = (text: string, list: string): boolean =>
  /^\w{1,60}$/.test(list) &&
  new RegExp(
    String.raw`\b${list}(?:\?\.)?(?:\[\s{0,3}(?:\$itemIndex|[A-Za-z_]\w{0,15})\s{0,3}\]|\.?at\()`,
  ).test(text);

const shifts = ofNodes((view, node, { type, parameters }) => {
  const [item] = largestOutputOf(view, node).items;
  const keepsAll = memberOf(parameters, "options", "keepMissing") === true;
  if (!type.endsWith(".aggregate") || keepsAll || !isReadObject(item?.json)) return null;
  const given = inputCountOf(view, node);
  const lists = Object.entries(item.json).map(([name, value]) => [name, lengthOf(value) ?? given] as const);
  const short = lists.filter(([, length]) => length < given);
  const reader = [...view.runs.keys()].find((name) =>
    textsOf(view.nodes.get(name)?.parameters).some((text) =>
      short.some(([list]) => isReadByIndex(text, list)),
    ),
  );
  if (reader === undefined || short.length === lists.length) return null;
  return { kind: "items_mixed.shifted", node, reader, short, given, confidence: "likely" };
});

const NAME_OF = /^(.{1,40}?)[_-]?name$/i;
const ID_OF = /^[_-]?(?:id|no|nr|num|number|code|key|uuid)$/i;

/** Two of these may share a name; events or devices of one name are of one kind. */
const PARTIES =
  /customer|client|user|person|contact|employee|member|patient|student|guest|buyer|supplier|vendor|company|owner|kunde/i;

/** Groups by name that mix several things, as their ids show: `customerName` and `customerId`. */
const groupsByName = ofNodes((view, node, { parameters }, [run]) => {
  const [whole, thing = ""] = NAME_OF.exec(textAt(parameters, "fieldsToSplitBy") ?? "") ?? [];
  if (run === undefined || whole === undefined || !PARTIES.test(thing)) return null;
  const { items } = view.inputOf(run);
  const id = keysOf(items).find((key) => key.startsWith(thing) && ID_OF.test(key.slice(thing.length)));
  if (id === undefined) return null;
  const groups = Map.groupBy(items, (item) => memberOf(item.json, whole));
  const mixed = [...groups.values()].filter(
    (group) => new Set(group.map((item) => memberOf(item.json, id)).filter(isPlain)).size > 1,
  );
  if (mixed.length === 0 || mixed.length === groups.size) return null;
  return { kind: "items_mixed.grouped", node, field: whole, id, count: mixed.length, confidence: "likely" };
});

/** Not if a single one is read, which is intended: the last answer of a job that was polled. */
const ALL_OF = new RegExp(String.raw`[$_]${QUOTED}\.all\(\)(?!\s{0,3}(?:\[\d|\??\.at\())`, "g");

/** Facts: without a run's index, all() gives the items of the last run. */
const readsLastRun = ofNodes((view, node, { parameters }, own) => {
  if (own.length !== 1) return null;
  for (const from of namesIn(textsOf(parameters), ALL_OF)) {
    const runs = view.runsOf(from);
    const [read, count] = [view.sentBy(from, runs.length - 1).length, sentInAll(view, from).length];
    const isOver = orderOf(runs.at(-1)) < orderOf(own[0]);
    if (view.typeOf(from) === LOOP || count === read || !isOver) continue;
    const fact = { kind: "items_unread.last_run", node, from, runs: runs.length, read, count } as const;
    return { ...fact, confidence: "likely" };
  }
  return null;
});

export const MIXED_RULES: readonly Rule[] = [
  unlessUsual(shifts, "likely"),
  unlessUsual(groupsByName, "likely"),
  unlessUsual(readsLastRun, "likely"),
  unlessUsual(readsAnother, "likely"),
  unlessUsual(mergesOthers, "likely"),
  unlessUsual(readsEarlierRound, "likely"),
];
