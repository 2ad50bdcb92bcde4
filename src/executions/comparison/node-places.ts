/**
 * The nodes of two executions, side by side, in the order of execution. A node that was renamed is the same. Pure.
 */
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import type { IsKnownField } from "../known-fields.ts";
import { nodesByName } from "../node-runs.ts";
import { type PairedNodes, pairNodes } from "./node-pairs.ts";
import { type NodeTrace, nodeTraces } from "./node-traces.ts";

/** Name now → name before, of nodes that were renamed. */
export const namesBefore = ({ pairs }: PairedNodes): Map<string, string> =>
  new Map(pairs.map(({ before, now }) => [now.name, before.name]));

interface Traces {
  readonly now: ReadonlyMap<string, NodeTrace>;
  readonly before: ReadonlyMap<string, NodeTrace>;
}

/** In the order of execution now; what ran before alone stands after what it followed then. */
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

/** A node as both executions have it. */
export interface NodePlace {
  readonly nodeName: string;
  /** The same, unless it was renamed. */
  readonly nameBefore: string;
  readonly nodeType: string | null;
  /** Undefined where it did not run. */
  readonly now: NodeTrace | undefined;
  readonly before: NodeTrace | undefined;
  /** In other ordinary executions. */
  readonly others: readonly (NodeTrace | undefined)[];
}

/** All nodes that ran in one of the two. */
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
