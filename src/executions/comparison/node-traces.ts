/**
 * What each node of one execution did, as far as it can be compared with another: how often it ran, how it ended,
 * through which outputs it sent how much, of which shape, and how long it took. No value of a payload. Pure.
 */
import { isReadObject, type ReadValue } from "../../json/omitted.ts";
import type { ExecutionWithData, NodeRun } from "../../n8n/schemas.ts";
import type { IsKnownField } from "../known-fields.ts";
import { dataOutputs, runsByNode, statusOfRuns } from "../node-runs.ts";
import { addTo, emptyShape, type Shape } from "./shape.ts";

/** All runs of a node together. */
export interface NodeTrace {
  readonly nodeName: string;
  readonly runs: number;
  readonly status: string;
  /** Items sent through each output, by its number. */
  readonly items: readonly number[];
  /** Of the items of each output, as far as they were read. */
  readonly shapes: readonly Shape[];
  /** Milliseconds. */
  readonly durationMs: number;
}

/** The nodes that ran, in the order in which they first did. */
export function nodeTraces(execution: ExecutionWithData, isKnown?: IsKnownField): Map<string, NodeTrace> {
  return new Map(
    [...runsByNode(execution)].flatMap(([nodeName, runs]) =>
      runs.length === 0 ? [] : [[nodeName, toTrace(nodeName, runs, isKnown)] as const],
    ),
  );
}

function toTrace(nodeName: string, runs: readonly NodeRun[], isKnown?: IsKnownField): NodeTrace {
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
    nodeName,
    runs: runs.length,
    status: statusOfRuns(runs),
    items: Array.from(items, (count) => count ?? 0),
    shapes: Array.from(shapes, (shape) => shape ?? emptyShape()),
    durationMs,
  };
}

/** An item's `json`; its binaries as members of `$binary`, as expressions call it. */
function addItem(shape: Shape, item: ReadValue, isKnown?: IsKnownField): void {
  if (!isReadObject(item) || item.json === undefined) return;
  const { json, binary } = item;
  const whole = isReadObject(json) && isReadObject(binary) ? { ...json, $binary: namesOf(binary) } : json;
  addTo(shape, whole, isKnown);
}

const namesOf = (binary: { [key: string]: ReadValue }): ReadValue =>
  Object.fromEntries(Object.keys(binary).map((name) => [name, true]));
