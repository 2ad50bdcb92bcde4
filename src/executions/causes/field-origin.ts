/**
 * Where a field that is missing or of the wrong type came from: "root before symptom". The search starts at the node
 * that sent the item and skips each node that passes on all its input, as long as that input lacks the field too.
 * Pure.
 */
import {
  containsOmitted,
  isReadObject,
  itemsOf,
  jsonTypeOf,
  OMITTED_MEMBERS,
  Omitted,
  type ReadValue,
} from "../../json/omitted.ts";
import type { NodeRun } from "../../n8n/schemas.ts";
import { firstFound } from "../../platform/first-found.ts";
import { orderOf } from "../node-runs.ts";
import { type ExecutionView, joined, NOTHING, type SentItem, type SentItems } from "./execution-view.ts";
import type { FieldReference } from "./field-references.ts";
import { isCodeForAll, LOOP } from "./node-kinds.ts";
import { type Failed, itemIndexOf } from "./rule.ts";
import type { ValueType } from "./wording/clauses.ts";

/** What is at a path. `unread`: unknown, because it was not read. */
export type Found =
  | { readonly kind: "there"; readonly value: ReadValue }
  | { readonly kind: "null"; readonly depth: number }
  | { readonly kind: "absent"; readonly depth: number }
  | { readonly kind: "unread" };

/** @returns `depth`: how many members of the path lead to the absent or null one, including it */
export function findAt(json: ReadValue, path: readonly string[]): Found {
  let value: ReadValue = json;
  for (const [index, key] of path.entries()) {
    if (value instanceof Omitted) return { kind: "unread" };
    if (value === null) return { kind: "null", depth: index };
    if (key === "length" && (typeof value === "string" || Array.isArray(value))) {
      if (typeof value === "string" && containsOmitted(value)) return { kind: "unread" };
      value = typeof value === "string" ? value.length : itemsOf(value).length;
    } else if (Array.isArray(value)) {
      const item: ReadValue | undefined = value[Number(key)];
      if (item instanceof Omitted) return { kind: "unread" };
      if (item === undefined)
        return value.some(containsOmitted) ? { kind: "unread" } : { kind: "absent", depth: index + 1 };
      value = item;
    } else if (isReadObject(value)) {
      if (!Object.hasOwn(value, key))
        return OMITTED_MEMBERS in value ? { kind: "unread" } : { kind: "absent", depth: index + 1 };
      value = value[key] ?? null;
    } else {
      return { kind: "absent", depth: index + 1 };
    }
  }
  if (value instanceof Omitted) return { kind: "unread" };
  return value === null ? { kind: "null", depth: path.length } : { kind: "there", value };
}

/** The value at a path; undefined if it is not there, null, or was not read. */
export function valueAt(json: ReadValue, path: readonly string[]): ReadValue | undefined {
  const found = findAt(json, path);
  return found.kind === "there" ? found.value : undefined;
}

export const isLacking = ({ kind }: Found): boolean => kind === "absent" || kind === "null";

/** The items that a reference reads in a run; if no run is given, all items that the named node ever sent. */
export function readBy(
  view: ExecutionView,
  run: NodeRun | undefined,
  { node, which }: FieldReference,
): SentItems {
  if (run === undefined) return node === null ? NOTHING : sentEver(view, node);
  const read = node === null ? view.inputOf(run) : sentBefore(view, run, node);
  if (typeof which !== "number") return read;
  const index = which < 0 ? read.length + which : which;
  const item = read.items.find((one) => one.index === index);
  return { items: item === undefined ? [] : [item], length: index < read.length ? 1 : 0 };
}

/**
 * As `readBy`, but nothing if it is not certain which items are read: the named node sent another number of items,
 * and not all links to them can be followed.
 */
export function certainlyReadBy(view: ExecutionView, run: NodeRun, reference: FieldReference): SentItems {
  const [read, own, { node, which }] = [readBy(view, run, reference), view.inputOf(run), reference];
  const isSure = node === null || typeof which === "number" || read.length === 1;
  if (isSure || read.length === own.length) return read;
  const linked = which === "paired" ? own.items.flatMap((item) => madeBy(view, item, node) ?? []) : [];
  return linked.length === own.items.length ? { items: linked, length: own.length } : NOTHING;
}

/** @param output by default the first of each run that sent anything */
export const sentEver = (view: ExecutionView, node: string, output?: number): SentItems =>
  joined(
    view
      .runsOf(node)
      .map((_run, run) =>
        output === undefined ? sentFirst(view, node, run) : view.sentBy(node, run, output),
      ),
  );

function sentFirst(view: ExecutionView, node: string, run: number): SentItems {
  const first = view.sentBy(node, run);
  return first.length > 0 ? first : view.sentBy(node, run, 1);
}

/** What a node sent to a run, also through others; if nothing, what it sent in its last run before. */
function sentBefore(view: ExecutionView, run: NodeRun, node: string): SentItems {
  const runs = view.runsOf(node);
  const source = sourceOf(view, run, node);
  if (source !== null) return view.sentBy(node, source.previousNodeRun, source.previousNodeOutput);
  const last = runs.findLastIndex((one) => orderOf(one) <= orderOf(run));
  const isKnown = view.hasAllRuns(node) || last < runs.length - 1;
  return isKnown ? sentFirst(view, node, last) : NOTHING;
}

const MAX_SOURCES = 200;

function sourceOf(view: ExecutionView, run: NodeRun, node: string): NodeRun["source"][number] {
  const pending = [...run.source];
  const seen = new Set<NodeRun>();
  for (let next = 0; next < Math.min(pending.length, MAX_SOURCES); next += 1) {
    const source = pending[next] ?? null;
    if (source?.previousNode === node) return source;
    const before = view.runsOf(source?.previousNode ?? "")[source?.previousNodeRun ?? 0];
    if (before === undefined || seen.has(before)) continue;
    seen.add(before);
    pending.push(...before.source);
  }
  return null;
}

const MAX_STEPS = 50;

/**
 * Follows an item upstream to the node that made it with, or without, what is at the path.
 * @param item the item in which it is absent, null, of another type or what an error repeats
 */
export function originOf(view: ExecutionView, item: SentItem, path: readonly string[]): SentItem {
  let origin = item;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const before = itemBefore(view, origin);
    if (before === null || !keepsAllKeys(before.json, origin.json)) return origin;
    const [was, is] = [findAt(before.json, path), findAt(origin.json, path)];
    const isCut = [was, is].some((found) => found.kind === "there" && containsOmitted(found.value));
    // What is there, or the part that is missing, changed here, so this node made the item.
    if (was.kind !== is.kind || (!isCut && JSON.stringify(was) !== JSON.stringify(is))) return origin;
    origin = before;
  }
  return origin;
}

/**
 * The item that this one was made from: the one that n8n pairs it with, an identical one, the only one, or, if as
 * many items were sent as given, the one with the same index. With several inputs, it is the only item whose members
 * this one still has; in a loop, an identical item of any round so far.
 */
export function itemBefore(view: ExecutionView, item: SentItem): SentItem | null {
  const known = LINKS.get(view) ?? new Map<string, SentItem | null>();
  LINKS.set(view, known);
  const place = `${item.run} ${item.output} ${item.index} ${item.from}`;
  const before = known.get(place) ?? (known.has(place) ? null : findBefore(view, item));
  known.set(place, before);
  return before;
}

/** Cached, since a loop searches all its earlier rounds for each item. */
const LINKS = new WeakMap<ExecutionView, Map<string, SentItem | null>>();

function findBefore(view: ExecutionView, item: SentItem): SentItem | null {
  const runs = view.runsOf(item.from);
  const run = runs[item.run];
  if (run === undefined) return null;
  if (view.typeOf(item.from) === LOOP)
    return sameItemIn(
      runs.slice(0, item.run + 1).flatMap((each) => view.inputOf(each).items),
      item,
    );
  const { items, length } = view.inputOf(run);
  if (run.source.length !== 1) {
    const [only, ...others] = items.filter((one) => keepsAllKeys(one.json, item.json));
    return only !== undefined && others.length === 0 ? only : null;
  }
  const isOneEach = view.sentBy(item.from, item.run, item.output).length === length;
  const place = item.paired ?? (length === 1 ? 0 : null);
  if (place !== null) return items.find(({ index }) => index === place) ?? null;
  return sameItemIn(items, item) ?? items.find(({ index }) => isOneEach && index === item.index) ?? null;
}

/** The item with the same `json`. */
export function sameItemIn(items: readonly SentItem[], { json }: SentItem): SentItem | null {
  const whole = JSON.stringify(json);
  return items.find((one) => JSON.stringify(one.json) === whole) ?? null;
}

function keepsAllKeys(before: ReadValue, now: ReadValue): boolean {
  if (!isReadObject(before) || !isReadObject(now)) return false;
  const keys = Object.keys(before);
  return keys.length > 0 && keys.every((key) => Object.hasOwn(now, key));
}

export function typeOf(value: ReadValue): ValueType {
  if (value === "") return "empty text";
  const type = jsonTypeOf(value);
  if (type === "array") return "list";
  return type === "string" ? "text" : type;
}

/**
 * The items on which a node failed, as far as n8n says: `error.context.itemIndex` is the item's index in the node's own
 * input. If n8n names none, or the node has several inputs, all items that the reference reads.
 */
export function failedOn(failed: Failed, reference: FieldReference): SentItems {
  const { view, run } = failed;
  const read = readBy(view, run, reference);
  if (typeof reference.which === "number" || run?.source.length !== 1) return read;
  const own = view.inputOf(run);
  const index = failedItem(failed) ?? (own.length === 1 || isCodeForAll(failed.node) ? 0 : null);
  const item = index === null ? undefined : own.items.find((one) => one.index === index);
  if (reference.node === null)
    return failedItem(failed) === null || (index ?? 0) >= own.length ? read : onlyOf(item);
  const paired =
    reference.which === "paired" && item !== undefined ? madeBy(view, item, reference.node) : null;
  return paired === null ? read : onlyOf(paired);
}

const onlyOf = (item: SentItem | undefined): SentItems =>
  item === undefined ? NOTHING : { items: [item], length: 1 };

/** The item of another node that an item was made from, through all nodes in between. */
function madeBy(view: ExecutionView, item: SentItem, node: string): SentItem | null {
  let made: SentItem | null = item;
  for (let step = 0; made !== null && made.from !== node && step < MAX_STEPS; step += 1)
    made = itemBefore(view, made);
  return made?.from === node ? made : null;
}

export interface Read {
  readonly reference: FieldReference;
  readonly item: SentItem;
  readonly found: Found;
}

/** The first non-null result of `make`, over all that the references read in the items on which a node failed. */
export function firstRead<Made>(
  failed: Failed,
  references: readonly FieldReference[],
  make: (read: Read) => Made | null,
): Made | null {
  return firstFound(references, (reference) =>
    firstFound(failedOn(failed, reference).items, (item) =>
      make({ reference, item, found: findAt(item.json, reference.path) }),
    ),
  );
}

/** Code that runs once for all items reads them all, so its index says nothing. */
function failedItem({ error, node }: Failed): number | null {
  return isCodeForAll(node) ? null : itemIndexOf(error);
}

/** What the first run of a node reads, if none of the known items has the field. */
export function readWithout(view: ExecutionView, name: string, reference: FieldReference): SentItems | null {
  const read = readBy(view, view.runsOf(name)[0], reference);
  const isLacking = read.items.every(({ json }) => findAt(json, reference.path).kind === "absent");
  return read.items.length > 0 && isLacking ? read : null;
}
