/**
 * What each node did in two executions, side by side in the order of execution, as far as it is comparable: how often it
 * ran, how it ended, how many items of which shape it sent through each output, and how long it took. A renamed node
 * counts as the same node. Holds no payload values. Pure.
 */
import { isReadObject, type ReadValue } from "../../json/omitted.ts";
import type { ExecutionWithData, NodeRun } from "../../n8n/schemas.ts";
import type { IsKnownField } from "../known-fields.ts";
import { dataOutputs, lacksRuns, nodesByName, runsByNode, statusOfRuns } from "../node-runs.ts";
import { type NodePairs, pairNodes } from "./node-pairs.ts";
import { addTo, emptyShape, type Shape } from "./shape.ts";

export interface NodeTrace {
  readonly runs: number;
  /** False if some runs were left out, so that nothing can be summed up. */
  readonly hasEveryRun: boolean;
  readonly status: string;
  /** Items sent through each output, by its number. */
  readonly items: readonly number[];
  readonly shapes: readonly Shape[];
  readonly durationMs: number;
}

function nodeTraces(execution: ExecutionWithData, isKnown?: IsKnownField): Map<string, NodeTrace> {
  return new Map(
    [...runsByNode(execution)].flatMap(([nodeName, runs]) =>
      runs.length === 0
        ? []
        : [[nodeName, { ...toTrace(runs, isKnown), hasEveryRun: !lacksRuns(execution, nodeName) }] as const],
    ),
  );
}

function toTrace(runs: readonly NodeRun[], isKnown?: IsKnownField): Omit<NodeTrace, "hasEveryRun"> {
  const items: number[] = [];
  const shapes: Shape[] = [];
  for (const run of runs) {
    for (const [output, { items: read, length }] of dataOutputs(run.data).entries()) {
      items[output] = (items[output] ?? 0) + length;
      shapes[output] ??= emptyShape();
      for (const item of read) addItem(shapes[output], item, isKnown);
    }
  }
  const durationMs = runs.reduce((sum, run) => sum + run.executionTime, 0);
  return {
    runs: runs.length,
    status: statusOfRuns(runs),
    items: Array.from(items, (count) => count ?? 0),
    shapes: Array.from(shapes, (shape) => shape ?? emptyShape()),
    durationMs,
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

/** Current name → earlier name of each paired node. */
export const namesBefore = ({ pairs }: NodePairs): Map<string, string> =>
  new Map(pairs.map(({ before, now }) => [now.name, before.name]));

interface Traces {
  readonly now: ReadonlyMap<string, NodeTrace>;
  readonly before: ReadonlyMap<string, NodeTrace>;
}

/** In the current order of execution; a node that ran only before is placed after the node that it followed then. */
function orderedNames(traces: Traces, oldNames: ReadonlyMap<string, string>) {
  const nameBeforeOf = (name: string): string => oldNames.get(name) ?? name;
  const named = [...traces.now.keys()].map((nodeName) => ({ nodeName, nameBefore: nameBeforeOf(nodeName) }));
  const newNames = new Map([...oldNames].map(([name, old]) => [old, name]));
  const placeOf = new Map(named.map(({ nameBefore }, index) => [nameBefore, index]));
  let after = -1;
  const gone: { readonly after: number; readonly nodeName: string; readonly nameBefore: string }[] = [];
  for (const nameBefore of traces.before.keys()) {
    const place = placeOf.get(nameBefore);
    if (place === undefined)
      gone.push({ after, nodeName: newNames.get(nameBefore) ?? nameBefore, nameBefore });
    else after = Math.max(after, place);
  }
  const at = (index: number) => gone.filter((one) => one.after === index);
  return [...at(-1), ...named.flatMap((one, index) => [one, ...at(index)])];
}

export interface NodePlace {
  readonly nodeName: string;
  readonly nameBefore: string;
  readonly nodeType: string | null;
  readonly now: NodeTrace | undefined;
  readonly before: NodeTrace | undefined;
  readonly others: readonly (NodeTrace | undefined)[];
}

export function placesOf(
  now: ExecutionWithData,
  before: ExecutionWithData,
  ordinary: readonly ExecutionWithData[],
  oldNames: ReadonlyMap<string, string>,
  isKnown?: IsKnownField,
): NodePlace[] {
  const traces = { now: nodeTraces(now, isKnown), before: nodeTraces(before, isKnown) };
  const others = ordinary.map((one) => ({
    traces: nodeTraces(one, isKnown),
    names: namesBefore(pairNodes(one, now)),
  }));
  const types = { now: nodesByName(now), before: nodesByName(before) };
  return orderedNames(traces, oldNames).map(({ nodeName, nameBefore }) => ({
    nodeName,
    nameBefore,
    nodeType: (types.now.get(nodeName) ?? types.before.get(nameBefore))?.type ?? null,
    now: traces.now.get(nodeName),
    before: traces.before.get(nameBefore),
    others: others.map((other) => other.traces.get(other.names.get(nodeName) ?? nodeName)),
  }));
}
