/**
 * Follows a field upstream to where its value was made, through nodes that rename it (Set, Code) and into the
 * caller's items. Also finds what is there instead of a missing field: one of almost the same name, or a new one
 * since the last success. By pattern; nothing is evaluated. Pure.
 */
import { isReadObject, OMITTED_MEMBERS, type ReadValue } from "../../json/omitted.ts";
import type { WorkflowNode } from "../../n8n/schemas.ts";
import { firstFound } from "../../platform/first-found.ts";
import { isEachWordMentioned, mentionedIn } from "../known-fields.ts";
import { linksOf } from "../links.ts";
import { type ExecutionView, parameterOf, type SentItem } from "./execution-view.ts";
import { type Maker, makerInCode } from "./field-makers.ts";
import {
  type Found,
  findAt,
  isLacking,
  itemBefore,
  originOf,
  readBy,
  sentEver,
  typeOf,
  valueAt,
} from "./field-origin.ts";
import { expressionsIn, ownField, pathText, plainReference, textsOf } from "./field-references.ts";
import { CALLED_TRIGGER, CODE } from "./node-kinds.ts";
import { objectsBelow } from "./values-below.ts";
import type { Instead, Likeness } from "./wording/chain-sentences.ts";

const SET = /\.set$/;

export interface Trace {
  /** Of the caller's execution, if the field came from there. */
  readonly view: ExecutionView;
  readonly item: SentItem;
  readonly path: readonly string[];
  /** The last node that renamed it. */
  readonly by: string | null;
  /** The expression that computed it, if any. */
  readonly text: string | null;
}

const MAX_STEPS = 20;

export function traceOf(view: ExecutionView, item: SentItem, path: readonly string[]): Trace {
  let trace: Trace = { view, item: originOf(view, item, path), path, by: null, text: null };
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const next = stepUp(trace);
    if (next === null) return trace;
    trace = next;
    if (trace.text !== null) return trace;
  }
  return trace;
}

function stepUp({ view, item, path, by }: Trace): Trace | null {
  const node = view.nodes.get(item.from);
  if (node?.type === CALLED_TRIGGER) return stepToCaller({ view, item, path, by, text: null });
  const maker = makerOf(node, path);
  if (maker === undefined) return null;
  const { reference, text } = maker;
  if (reference === null) return { view, item, path, by, text };
  const before =
    reference.node === null
      ? itemBefore(view, item)
      : readBy(view, view.runsOf(item.from)[item.run], reference).items.find(
          ({ index }, _, { length }) => length === 1 || index === item.index,
        );
  if (before == null) return null;
  if (!isSameValue(findAt(before.json, reference.path), findAt(item.json, path))) return null;
  const origin = originOf(view, before, reference.path);
  return { view, item: origin, path: reference.path, by: item.from, text: null };
}

/** A sub-workflow that is called for each item has one item, so all items of the caller are tried. */
function stepToCaller({ view, item, path }: Trace): Trace | null {
  const { caller } = view.context;
  if (caller === undefined) return null;
  const { id } = view.execution;
  const [call] = linksOf(caller.execution).subExecutions.filter(({ executionId }) => executionId === id);
  const failed = caller.failed?.name;
  const name = call?.nodeName ?? failed;
  const run = name === undefined ? undefined : caller.runsOf(name).at(-1);
  if (name === undefined || run === undefined) return null;
  const { items } = caller.inputOf(run);
  const mapped = parameterOf(caller.nodes.get(name), "workflowInputs", "value", path[0] ?? "");
  const [expression = ""] = typeof mapped === "string" ? expressionsIn(mapped) : [];
  const reference = mapped === undefined ? ownField(path) : plainReference(expression);
  if (reference === null) return null;
  const callerPath = mapped === undefined ? reference.path : [...reference.path, ...path.slice(1)];
  const read = reference.node === null ? items : readBy(caller, run, reference).items;
  const before = read.find(({ json }) => isSameValue(findAt(json, callerPath), findAt(item.json, path)));
  if (before === undefined) return null;
  return {
    view: caller,
    item: originOf(caller, before, callerPath),
    path: callerPath,
    by: mapped === undefined ? null : name,
    text: null,
  };
}

/** A missing field may become null, empty or "undefined" one step later. */
function isSameValue(one: Found, other: Found): boolean {
  if (isLacking(one)) return isLacking(other) || (other.kind === "there" && isBlank(other.value));
  if (one.kind !== "there" || other.kind !== "there") return false;
  return (
    String(JSON.stringify(one.value)) === JSON.stringify(other.value) || String(one.value) === other.value
  );
}

/** What an expression makes of a missing value. */
export const isBlank = (value: ReadValue): boolean =>
  value === null || value === "" || value === "undefined" || value === "null";

/** The value at a path; null if there is none, or it is blank. */
export function filledAt(json: ReadValue, path: readonly string[]): ReadValue {
  const value = valueAt(json, path) ?? null;
  return isBlank(value) ? null : value;
}

/** The expression by which a node makes a field; undefined if it is unknown. */
function makerOf(node: WorkflowNode | undefined, path: readonly string[]): Maker | undefined {
  const type = node?.type ?? "";
  if (CODE.test(type)) {
    const [code] = ["jsCode", "functionCode"].flatMap((key) => textsOf(parameterOf(node, key)));
    return code === undefined ? undefined : makerInCode(code, path);
  }
  if (!SET.test(type)) return undefined;
  const written = path.join(".");
  const row = assignmentsOf(node).find(({ name }) => written === name || written.startsWith(`${name}.`));
  const [expression] = row === undefined ? [] : expressionsIn(row.value);
  if (row === undefined || expression === undefined) return undefined;
  const reference = plainReference(expression);
  const rest = written === row.name ? [] : written.slice(row.name.length + 1).split(".");
  if (reference === null || !/^=\s*\{\{[^{}]*\}\}\s*$/.test(row.value))
    return { text: expression, reference: null };
  return { text: expression, reference: { ...reference, path: [...reference.path, ...rest] } };
}

/** The fields that a node sets by name, in rows of all versions of Set, `{ name, value }` and `{ name, stringValue }`, or of a form. */
export const assignmentsOf = (node: WorkflowNode | undefined) =>
  objectsBelow(node?.parameters, 5).flatMap(({ members: row }) => {
    const values = Object.entries(row).flatMap(([key, member]) => (/value$/i.test(key) ? [member] : []));
    const value = values.find((one) => typeof one === "string");
    const isNumber = /^number/.test(String(row.type)) || row.numberValue !== undefined;
    return typeof row.name === "string" && value !== undefined ? [{ name: row.name, value, isNumber }] : [];
  });

// biome-ignore lint/suspicious/noControlCharactersInRegex: invisible characters are what is looked for.
const INVISIBLE = /[\u0000-\u001f\u007f\u00ad\u200b-\u200f\u2060\ufeff]/g;
const NORMAL: readonly (readonly [Likeness, (name: string) => string])[] = [
  ["mark", (name) => name.replaceAll(INVISIBLE, "")],
  ["blanks", (name) => name.replaceAll(INVISIBLE, "").replaceAll(/\s+/g, " ").trim()],
  ["case", (name) => name.toLowerCase()],
  ["separators", withoutSeparators],
];

function withoutSeparators(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.-]+/g, "");
}

export function likenessOf(name: string, other: string): Likeness | null {
  if (name === other || name.length < 2) return null;
  return NORMAL.find(([, normal]) => normal(name) === normal(other))?.[0] ?? null;
}

const ownerOf = (json: ReadValue, path: readonly string[]): { [key: string]: ReadValue } | null => {
  const owner = valueAt(json, path.slice(0, -1));
  return isReadObject(owner) ? owner : null;
};

/** What is there instead of a missing field at the end of a trace; null if that is unknown. */
function insteadOf({ view, item, path }: Trace): Instead | null {
  const owner = ownerOf(item.json, path) ?? {};
  const names = Object.keys(owner).filter((name) => name !== OMITTED_MEMBERS);
  const key = path.at(-1) ?? "";
  const name = names.find((one) => likenessOf(key, one) !== null) ?? null;
  const like = isDotted(item.json, path) ? "dots" : likenessOf(key, name ?? key);
  const dropped = senderBefore(view, item, path);
  const before = successWith(view, item, path);
  if (like === null && dropped === null && before === null) return null;
  return { like, name, dropped, since: before?.id ?? null, ...newFieldOf(view, before, { owner, path }) };
}

/** Some nodes make one field named "data.line", while `$json.data.line` reads `line` of `data`. */
const isDotted = (json: ReadValue, path: readonly string[]): boolean =>
  isReadObject(json) && path.some((_, at) => at > 0 && Object.hasOwn(json, path.slice(0, at + 1).join(".")));

function newFieldOf(
  view: ExecutionView,
  before: { readonly item: SentItem } | null,
  { owner, path }: { readonly owner: { [key: string]: ReadValue }; readonly path: readonly string[] },
): Pick<Instead, "sends" | "isOtherNew" | "isRenamed"> {
  const unknown = { sends: null, isRenamed: false };
  if (before === null) return { ...unknown, isOtherNew: false };
  const old = ownerOf(before.item.json, path) ?? {};
  const type = typeOf(filledAt(before.item.json, path));
  const added = Object.keys(owner).filter(
    (name) => name !== OMITTED_MEMBERS && !Object.hasOwn(old, name) && typeOf(owner[name] ?? null) === type,
  );
  const [only = "", ...more] = added;
  if (only === "" || more.length > 0) return { ...unknown, isOtherNew: more.length > 0 };
  const [one, other] = [withoutSeparators(only), withoutSeparators(path.at(-1) ?? "")];
  const isKnown = isEachWordMentioned(only, mentionedIn([view.execution]));
  return {
    sends: isKnown ? pathText([...path.slice(0, -1), only]) : null,
    isOtherNew: true,
    isRenamed: one.includes(other) || other.includes(one),
  };
}

const MAX_BEFORE = 5;

/** The nearest node upstream of an item that sent the field that it lacks. */
function senderBefore(view: ExecutionView, item: SentItem, path: readonly string[]): string | null {
  let at: SentItem | null = item;
  for (let step = 0; at !== null && step < MAX_BEFORE; step += 1) {
    at = itemBefore(view, at);
    if (at !== null && filledAt(at.json, path) !== null) return at.from;
  }
  return null;
}

/** The newest success in which the same output of the node sent the field. */
export const successWith = (view: ExecutionView, { from, output }: SentItem, path: readonly string[]) =>
  firstFound(view.successes, (success) => {
    const item = sentEver(success, from, output).items.find(({ json }) => filledAt(json, path) !== null);
    return item === undefined ? null : { id: success.execution.id, item };
  });

/** What sentences need to know of the way from a field's origin to the node that reads it. */
export function chainOf(view: ExecutionView, trace: Trace) {
  const callerId = trace.view === view ? null : trace.view.execution.id;
  const chain = { by: trace.by, instead: insteadOf(trace), callerId };
  return callerId === null ? chain : { ...chain, executionId: callerId };
}
