/**
 * Facts: values that broke on their way and that n8n counts as a success: texts that no one writes on purpose
 * ("Invalid Date", "[object Object]"), and values that lost something between what a node was given and what it
 * sent. Values are matched by the field's name, or by the only field that the expression reads. A node that did the
 * same in the last successes is meant to.
 */

import type { ReadValue } from "../../../../json/omitted.ts";
import type { NodeRun } from "../../../../n8n/schemas.ts";
import { pattern } from "../../../../platform/pattern.ts";
import { mentionedIn } from "../../../known-fields.ts";
import { type ExecutionView, parameterOf, type SentItem, zoneOf } from "../../execution-view.ts";
import type { Fact } from "../../fact.ts";
import { readBy, sentEver, valueAt } from "../../field-origin.ts";
import {
  type FieldReference,
  ownField,
  pathText,
  referencesIn,
  referencesOf,
  textsOf,
} from "../../field-references.ts";
import { assignmentsOf } from "../../field-trace.ts";
import { CODE } from "../../node-kinds.ts";
import type { Rule } from "../../rule.ts";
import { BROKEN_TEXTS, becameOf, DOUBTFUL, isDust, isUnsafe, ODD_TEXTS } from "../../value-breaks.ts";
import { valuesBelow } from "../../values-below.ts";
import type { Break } from "../../wording/reported-sentences.ts";

/** Nodes that produce values themselves; the others send what a service wrote. */
const WRITES = pattern()`
  \.(?:
    set|code|function|functionItem|aggregate|summarize|dateTime|itemLists|merge|renameKeys|xml|html
    |markdown|spreadsheetFile|extractFromFile
  )$
`;
/** Nodes that read values from a file, which somebody else wrote. */
const READS_FILES = /\.(?:xml|spreadsheetFile|extractFromFile)$/;
/** A sign that a node writes or reads HTML. */
const HTML = /<\/?[a-z]+|html/i;
const MODELS = /langchain/;
/** A time in nanoseconds is no id, and its last digits mean nothing. */
const IS_TIME = /^(?!.*id$).*(?:time|stamp|nano|(?:^|_)ts$)/i;

interface Broken {
  readonly how: Break;
  readonly path: readonly string[];
  readonly now: ReadValue;
  readonly source: Source | null;
}

interface Source extends Leaf {
  readonly node: string;
}

export const brokenValues: Rule = (view) => {
  if (view.isWithheld) return [];
  const isKnown = mentionedIn([view.execution]);
  return [...view.runs.keys()].flatMap((name): Fact[] => {
    if (MODELS.test(view.typeOf(name)) || view.isSubNode(name)) return [];
    const broken = brokenIn(view, name);
    const earlier = view.successes.filter((one) => one.runs.has(name));
    const before = broken.length === 0 ? [] : earlier.map((one) => brokenIn(one, name));
    const isUsual = (one: Broken): boolean =>
      before.length > 0 &&
      before.every((own) => own.some(({ how, path }) => how === one.how && path.join() === one.path.join()));
    // A text with a placeholder may be a template that a later node fills in.
    const isTemplate = ({ how, now }: Broken): boolean => how === "placeholder" && !OF_N8N.test(String(now));
    const first = broken.find((one) => !isUsual(one) && (earlier.length > 0 || !isTemplate(one)));
    if (first === undefined) return [];
    const { how, path, now, source } = first;
    const shown = (keys: readonly string[]): string | null =>
      keys.every((key) => /^\d+$/.test(key) || isKnown(key)) ? pathText(keys) : null;
    const field = shown(path);
    const isOwn = source !== null || how === "unsafe" || WRITES.test(view.typeOf(name));
    // A fetched page or document may contain any such text.
    if (!isOwn && String(now).length > MAX_FOREIGN) return [];
    const isSure = !DOUBTFUL.has(how) && isOwn;
    return [
      {
        kind: "broken_value",
        node: name,
        how,
        from: source?.node ?? null,
        read: source === null ? null : shown(source.path),
        zone: zoneOf(view),
        confidence: isSure ? "likely" : "observed",
        value: now,
        ...(field === null ? {} : { field }),
        valuePath: path,
        ...(source === null ? {} : { said: String(source.value), saidPath: source.path }),
      },
    ];
  });
};

const nameOf = (path: readonly string[]): string => path.findLast((key) => !/^\d+$/.test(key)) ?? "value";

const OF_N8N = /\$(?:json|node|input|items|now|today|vars|env|workflow|execution|\()/;

const TEXTS = [...BROKEN_TEXTS, ...ODD_TEXTS];
/** Texts of somebody who means the first day of 1970. */
const IS_EPOCH = /1970|\b(?:Date|fromMillis|fromSeconds|unix)\(0\)/;
const MAX_FOREIGN = 120;
const MAX_ITEMS = 25;

function brokenIn(view: ExecutionView, name: string): Broken[] {
  const node = view.nodes.get(name);
  const assigned = new Map(assignmentsOf(node).map((one) => [one.name, one]));
  const zone = zoneOf(view);
  const isRead = readsIn(view);
  const isForeign = !WRITES.test(node?.type ?? "");
  const ownTexts = textsOf(node?.parameters);
  const isCode = CODE.test(node?.type ?? "");
  const isMade = parameterOf(node, "mode") === "jsonToxml";
  const words = ownTexts.flatMap((text) => [
    ...(isCode ? [] : [withoutExpressions(text)]),
    ...literalsIn(text),
  ]);
  const readTexts = new Set(textsReadFrom(view, ownTexts));
  const runs = view.runsOf(name).slice(0, MAX_ITEMS);
  return runs.flatMap((run, index) => {
    const given = view.inputOf(run).items;
    const leaves = new Map(given.map((one) => [one, leavesOf(one.json)]));
    const texts = new Set([...leaves.values()].flat().map((leaf) => leaf.value));
    const sent = view.sentBy(name, index).items.slice(0, MAX_ITEMS);
    return sent.flatMap((item) =>
      leavesOf(item.json).flatMap(({ path, value: now }): Broken[] => {
        if ((texts.has(now) || readTexts.has(now)) && now !== null) return [];
        const { value: template, isNumber = false } = assigned.get(path.join(".")) ?? {};
        const text = typeof now === "string" ? TEXTS.find(([, form]) => form.test(now)) : undefined;
        const source = sourceOf(view, { run, given, item, now, leaves }, path, template);
        if (text !== undefined) {
          const [how, form] = text;
          // Somebody wrote it: it is a part of a text that was given, or of prose that was received from outside.
          const broken = form.exec(String(now))?.[0].trim() ?? String(now);
          const isProse = how !== "encoding" && broken !== now && /\s/.test(String(now));
          const isNumber = how === "not_a_number";
          const isReceived = isProse && (given.length === 0 || (isNumber && isForeign));
          const isName = isNumber && isNamed([...texts, ...readTexts, ...words]);
          const isOwnWord = how !== "placeholder" && isPartOfOne(broken, words);
          const isInFile =
            how !== "encoding" && how !== "scientific" && READS_FILES.test(node?.type ?? "") && !isMade;
          const isGiven = isPartOfOne(broken, texts) || isPartOfOne(broken, readTexts);
          const isThatYear = (value: ReadValue): boolean => IS_EPOCH.test(String(value));
          const isMeant = how === "epoch" && (isForeign || [...texts, ...ownTexts].some(isThatYear));
          if (isMeant || (how === "entities" && !(isRead(path) && hasNoHtml(view)))) return [];
          const isWritten = (how !== "entities" && isReceived) || isName || isOwnWord || isInFile || isGiven;
          return isWritten ? [] : [{ how, path, now, source: null }];
        }
        if (!isForeign && isDust(now)) return [{ how: "dust", path, now, source: null }];
        if (isUnsafe(now) && isRead(path) && !IS_TIME.test(nameOf(path)))
          return [{ how: "unsafe", path, now, source: null }];
        if (source === null) return [];
        const maker = template ?? linesNaming(nameOf(source.path), isCode ? ownTexts : []);
        const made = { name: nameOf(source.path), template: template ?? "", maker, isNumber, zone };
        const how = becameOf(source.value, now, made);
        return how === null ? [] : [{ how, path, now, source }];
      }),
    );
  });
}

const hasNoHtml = ({ nodes }: ExecutionView): boolean =>
  ![...nodes.values()].some(({ parameters }) => HTML.test(JSON.stringify(parameters)));

/** The texts of the nodes that a node reads by name: it may only pass them on. */
function textsReadFrom(view: ExecutionView, ownTexts: readonly string[]): ReadValue[] {
  const names = new Set(ownTexts.flatMap(referencesIn).flatMap(({ node }) => node ?? []));
  const items = [...names].flatMap((node) => sentEver(view, node).items);
  const values = items.flatMap(({ json }) => leavesOf(json)).map(({ value }) => value);
  return values.filter((value) => typeof value === "string");
}

/** The string literals of an expression or code, except those that it compares with. */
const literalsIn = (text: string): string[] =>
  [...text.matchAll(/(?<![=!]=\s?)(?:'[^'\n]*'|"[^"\n]*"|`[^`]*`)/g)].map(([literal]) => literal);

const linesNaming = (name: string, code: readonly string[]): string => {
  const lines = code.flatMap((text) => text.split("\n"));
  const naming = lines.filter((line) => line.includes(name));
  return (naming.length > 0 ? naming : lines).join("\n");
};

const withoutExpressions = (text: string): string => text.replaceAll(/\{\{.*?\}\}/gs, "");

/** "Infinity Pools" and "NaN bread" are names: someone wrote the word, in whatever case. */
const isNamed = (values: readonly unknown[]): boolean =>
  values.some((value) => typeof value === "string" && /\b(?:nan|infinity)\b/i.test(value));

const isPartOfOne = (part: string, values: Iterable<unknown>): boolean =>
  [...values].some((value) => typeof value === "string" && value.includes(part));

/** Whether an expression or a node's code reads a field of that name. */
function readsIn({ nodes }: ExecutionView): (path: readonly string[]) => boolean {
  let names: ReadonlySet<string> | null = null;
  return (path) => {
    names ??= new Set([...nodes.values()].flatMap(referencesOf).flatMap((reference) => reference.path));
    return names.has(nameOf(path));
  };
}

/** What the value was made from; null if several fields were read, or the node has another input. */
function sourceOf(
  view: ExecutionView,
  made: Made,
  path: readonly string[],
  template: string | undefined,
): Source | null {
  const references = template === undefined ? [ownField(path)] : referencesIn(template);
  const [reference] = references;
  if (reference === undefined || references.length > 1) return null;
  const read = sourceReadBy(view, made, reference);
  return read ?? (template === undefined ? sourceByName(made, path) : null);
}

/** Code may take a field from anywhere in its input: it is matched by its name, or a number by its digits. */
function sourceByName({ item, given, now, leaves }: Made, path: readonly string[]): Source | null {
  const one = itemOf(given, item);
  if (one === undefined || (typeof now !== "number" && String(now).length > 10)) return null;
  const all = leaves.get(one) ?? [];
  const [alike, ...others] = all.filter((leaf) => leaf.path.at(-1) === path.at(-1));
  const isLongOne = ({ value }: Leaf): boolean =>
    typeof value === "string" && /^0\d{3,}$/.test(value) && Number(value) === now;
  const leaf = others.length === 0 && alike !== undefined ? alike : all.find(isLongOne);
  return leaf === undefined ? null : { node: one.from, ...leaf };
}

const itemOf = (items: readonly SentItem[], { index }: SentItem): SentItem | undefined =>
  items.length === 1 ? items[0] : items.find((one) => one.index === index);

interface Made {
  readonly run: NodeRun;
  readonly given: readonly SentItem[];
  readonly item: SentItem;
  readonly now: ReadValue;
  readonly leaves: ReadonlyMap<SentItem, readonly Leaf[]>;
}

function sourceReadBy(view: ExecutionView, { run, given, item }: Made, reference: FieldReference) {
  const items = reference.node === null ? given : readBy(view, run, reference).items;
  const one = itemOf(items, item);
  if (one === undefined) return null;
  const value = valueAt(one.json, reference.path);
  return value === undefined || typeof value === "object"
    ? null
    : { node: one.from, path: reference.path, value };
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: string | number | boolean | null;
}

const MAX_LEAVES = 300;

const leavesOf = (json: ReadValue): Leaf[] =>
  valuesBelow(json, Number.POSITIVE_INFINITY)
    .flatMap(([path, value]) => (value === null || typeof value !== "object" ? [{ path, value }] : []))
    .slice(0, MAX_LEAVES);
