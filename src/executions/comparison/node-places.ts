/**
 * What each node did in two executions, side by side in the order of execution, as far as it is comparable: how often it
 * ran, how it ended, how many items of which shape it sent through each output, and how long it took. A renamed node
 * counts as the same node. Holds no payload values. Pure.
 */
import { isReadObject, type ReadValue } from "../../json/omitted.ts";
import { isInherited } from "../../n8n/run-order.ts";
import type { ExecutionWithData, NodeRun, WorkflowNode } from "../../n8n/schemas.ts";
import type { IsKnownField } from "../known-fields.ts";
import { dataOutputs, lacksRuns, nodesByName, runsByNode, statusOfRuns } from "../node-runs.ts";
import { editedNodes, namesOfPairs, pairNodes } from "./node-pairs.ts";
import { addTo, emptyShape, type Shape } from "./shape.ts";

export type NodeTrace = Readonly<ReturnType<typeof toTrace>>;

function nodeTraces(execution: ExecutionWithData, isKnown?: IsKnownField): Map<string, NodeTrace> {
  const ran = [...runsByNode(execution)].filter(([, runs]) => runs.length > 0);
  return new Map(ran.map((node) => [node[0], toTrace(execution, node, isKnown)]));
}

type NodeRuns = readonly [nodeName: string, runs: readonly NodeRun[]];

function toTrace(execution: ExecutionWithData, [name, runs]: NodeRuns, isKnown?: IsKnownField) {
  const items: number[] = [];
  const itemsRead: number[] = [];
  const shapes: Shape[] = [];
  for (const run of runs) {
    for (const [output, { items: read, length }] of dataOutputs(run.data).entries()) {
      items[output] = (items[output] ?? 0) + length;
      itemsRead[output] = (itemsRead[output] ?? 0) + read.length;
      shapes[output] ??= emptyShape();
      for (const item of read) addItem(shapes[output], item, isKnown);
    }
  }
  const durationMs = runs.reduce((sum, run) => sum + run.executionTime, 0);
  return {
    executionId: execution.id,
    runs: runs.length,
    /** False if some runs were not read, so that totals are incomplete. */
    hasEveryRun: !lacksRuns(execution, name),
    status: statusOfRuns(runs),
    /** Items sent through each output, by its number. */
    items: Array.from(items, (count) => count ?? 0),
    /** How many of them were read. */
    itemsRead,
    shapes: Array.from(shapes, (shape) => shape ?? emptyShape()),
    durationMs,
    /** False if runs are those of the execution that this one retries, which took their time there. */
    hasOwnTimes: runs.every(({ startTime }) => !isInherited(execution, startTime)),
  };
}

/** Adds an item's `json`, with its binaries as members of `$binary`, the name that expressions use. */
function addItem(shape: Shape, item: ReadValue, isKnown?: IsKnownField): void {
  if (!isReadObject(item) || item.json === undefined) return;
  const { json, binary } = item;
  const whole = isReadObject(json) && isReadObject(binary) ? { ...json, $binary: namesOf(binary) } : json;
  addTo(shape, whole, isKnown);
}

const namesOf = (binary: { [key: string]: ReadValue }): ReadValue =>
  Object.fromEntries(Object.keys(binary).map((name) => [name, true]));

type Traces = Readonly<Record<"now" | "before", ReadonlyMap<string, NodeTrace>>>;

interface NodeNames {
  /** Its name now; for a removed node, its name before. */
  readonly nodeName: string;
  /** Undefined if another node has this name now. */
  readonly nameNow: string | undefined;
  /** Undefined if another node had this name before. */
  readonly nameBefore: string | undefined;
}

/** In the current order of execution; a node that ran only before is placed after the node that it followed then. */
function orderedNames(traces: Traces, names: ReturnType<typeof namesOfPairs>): NodeNames[] {
  const named = [...traces.now.keys()].map(
    (nodeName): NodeNames => ({ nodeName, nameNow: nodeName, nameBefore: names.before(nodeName) }),
  );
  const placeOf = new Map(named.map(({ nameBefore }, index) => [nameBefore, index]));
  let after = -1;
  const gone: (NodeNames & { readonly after: number })[] = [];
  for (const nameBefore of traces.before.keys()) {
    const place = placeOf.get(nameBefore);
    const nameNow = names.now(nameBefore);
    if (place === undefined) gone.push({ after, nodeName: nameNow ?? nameBefore, nameNow, nameBefore });
    else after = Math.max(after, place);
  }
  const at = (index: number) => gone.filter((one) => one.after === index);
  return [...at(-1), ...named.flatMap((one, index) => [one, ...at(index)])];
}

export type NodePlace = Readonly<ReturnType<typeof placesOf>[number]>;

export const ofName = <Value>(
  map: ReadonlyMap<string, Value>,
  name: string | undefined,
): Value | undefined => (name === undefined ? undefined : map.get(name));

export function placesOf(
  now: ExecutionWithData,
  before: ExecutionWithData,
  ordinary: readonly ExecutionWithData[],
  isKnown?: IsKnownField,
) {
  const traces = { now: nodeTraces(now, isKnown), before: nodeTraces(before, isKnown) };
  const others = ordinary.map((one) => {
    const paired = pairNodes(one, before);
    const edited = new Set<string | undefined>(editedNodes(paired).map(({ nodeName }) => nodeName));
    const names = namesOfPairs(paired);
    return { traces: nodeTraces(one, isKnown), names, added: namesOfAll(paired.added), edited };
  });
  const paired = pairNodes(before, now);
  const [added, removed] = [namesOfAll(paired.added), namesOfAll(paired.removed)];
  const types = { now: nodesByName(now), before: nodesByName(before) };
  return orderedNames(traces, namesOfPairs(paired)).map((node) => {
    // A new node is not the former node of the same name.
    const name = added.has(node.nameNow) ? undefined : node.nameBefore;
    const having = others.filter((other) => name !== undefined && !other.added.has(name));
    const traceIn = (other: (typeof others)[number]) =>
      ofName(other.traces, name && other.names.before(name));
    return {
      ...node,
      nodeType: (ofName(types.now, node.nameNow) ?? ofName(types.before, node.nameBefore))?.type ?? null,
      /** Whether it was removed from the workflow; another node may have its name now. */
      isRemoved: removed.has(node.nameBefore),
      now: ofName(traces.now, node.nameNow),
      before: ofName(traces.before, node.nameBefore),
      /** Of the other successes that ran it with its previous settings: with others, it is no baseline. */
      others: having.flatMap((other) => (other.edited.has(name) ? [] : (traceIn(other) ?? []))),
      /** Whether a success whose workflow had the node did not run it. */
      isOftenIdle: having.some((other) => traceIn(other) === undefined),
    };
  });
}

const namesOfAll = (nodes: readonly WorkflowNode[]): ReadonlySet<string | undefined> =>
  new Set(nodes.map(({ name }) => name));
