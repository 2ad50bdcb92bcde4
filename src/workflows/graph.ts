/**
 * A workflow as a graph (nodes by name, connections by type), and which of its nodes can run. It accepts any workflow,
 * even one that no editor would save: connections from or to missing nodes are dropped, and the last of several nodes
 * with the same name counts, as in n8n. Pure.
 */
import type { WorkflowNodeWithParameters, WorkflowVersion } from "../n8n/workflow-schemas.ts";
import { closureOf } from "../platform/closure.ts";
import { isTriggerType } from "./node-types.ts";

export interface Connection {
  readonly from: string;
  readonly output: number;
  /** `main`, or the role of a sub-node for its root node: `ai_tool`, `ai_languageModel`, `ai_memory`, … */
  readonly type: string;
  readonly to: string;
}

export type WorkflowGraph = Readonly<ReturnType<typeof toGraph>>;

/** The connection type of the main flow. */
export const MAIN = "main";

export function toGraph({ nodes, connections }: Pick<WorkflowVersion, "nodes" | "connections">) {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const existing = connectionsOf(connections).filter(({ from, to }) => byName.has(from) && byName.has(to));
  const bySource = Map.groupBy(existing, ({ from }) => from);
  const byTarget = Map.groupBy(existing, ({ to }) => to);
  const ofType = (found: readonly Connection[] = [], type?: string): readonly Connection[] =>
    type === undefined ? found : found.filter((connection) => connection.type === type);
  return {
    /** By name, including sticky notes and disabled nodes. */
    nodes: byName,
    connections: existing,
    /** The connections from a node, by output, and those to a node; of one type or of all. */
    outgoing: (node: string, type?: string) => ofType(bySource.get(node), type),
    incoming: (node: string, type?: string) => ofType(byTarget.get(node), type),
  };
}

function connectionsOf(connections: WorkflowVersion["connections"]): Connection[] {
  return Object.entries(connections).flatMap(([from, byType]) =>
    Object.entries(byType).flatMap(([type, outputs]) =>
      outputs.flatMap((targets, output) =>
        (targets ?? []).flatMap((target) =>
          target === null ? [] : [{ from, output, type, to: target.node }],
        ),
      ),
    ),
  );
}

/** The nodes at which an execution can begin; disabled ones cannot. */
export const triggersOf = (graph: WorkflowGraph): WorkflowNodeWithParameters[] =>
  [...graph.nodes.values()].filter((node) => isTriggerType(node.type) && !node.disabled);

/** The nodes that items reach next; a disabled node passes items on through its first output. */
function flowFrom(graph: WorkflowGraph, name: string): string[] {
  const isDisabled = graph.nodes.get(name)?.disabled === true;
  return graph
    .outgoing(name, MAIN)
    .filter(({ output }) => !isDisabled || output === 0)
    .map(({ to }) => to);
}

/** The nodes that items can reach from the start nodes, including these. */
export const reachableFrom = (graph: WorkflowGraph, starts: Iterable<string>): Set<string> =>
  closureOf(starts, (name) => flowFrom(graph, name));

/** The nodes from which items can reach these, including these. */
export const leadingTo = (graph: WorkflowGraph, ends: Iterable<string>): Set<string> =>
  closureOf(ends, (name) =>
    graph
      .incoming(name, MAIN)
      .filter(({ from, output }) => output === 0 || graph.nodes.get(from)?.disabled !== true)
      .map(({ from }) => from),
  );

/** All nodes that can run: those that items reach from these triggers, or from any, and their sub-nodes. */
export function liveNodes(graph: WorkflowGraph, triggers = triggersOf(graph)): Set<string> {
  const starts = triggers.map(({ name }) => name);
  return closureOf(reachableFrom(graph, starts), (name) =>
    graph
      .incoming(name)
      .filter(({ type, from }) => type !== MAIN && graph.nodes.get(from)?.disabled !== true)
      .map(({ from }) => from),
  );
}
