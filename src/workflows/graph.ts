/**
 * A workflow as a graph: nodes by name, connections by type. It takes any workflow, also one that no editor
 * would save: connections from or to nodes that do not exist are left out, and of nodes that share a name
 * the last one counts, as in n8n. Pure.
 */
import type { WorkflowNodeWithParameters, WorkflowVersion } from "../n8n/workflow-schemas.ts";

/** Leads from an output of one node to an input of another. */
export interface Connection {
  readonly from: string;
  readonly output: number;
  /** `main`, or what a sub-node is to its root: `ai_tool`, `ai_languageModel`, `ai_memory`, … */
  readonly type: string;
  readonly to: string;
  readonly input: number;
}

export interface WorkflowGraph {
  /** By name, sticky notes and disabled nodes included. */
  readonly nodes: ReadonlyMap<string, WorkflowNodeWithParameters>;
  readonly connections: readonly Connection[];
  /** The connections that leave a node, of one type or of all, by output. */
  readonly outgoing: (node: string, type?: string) => readonly Connection[];
  /** The connections that reach a node, of one type or of all. */
  readonly incoming: (node: string, type?: string) => readonly Connection[];
}

/** The connection type of the flow itself. */
export const MAIN = "main";

export function toGraph({
  nodes,
  connections,
}: Pick<WorkflowVersion, "nodes" | "connections">): WorkflowGraph {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const existing = connectionsOf(connections).filter(({ from, to }) => byName.has(from) && byName.has(to));
  const bySource = Map.groupBy(existing, ({ from }) => from);
  const byTarget = Map.groupBy(existing, ({ to }) => to);
  const ofType = (found: readonly Connection[], type: string | undefined): readonly Connection[] =>
    type === undefined ? found : found.filter((connection) => connection.type === type);
  return {
    nodes: byName,
    connections: existing,
    outgoing: (node, type) => ofType(bySource.get(node) ?? [], type),
    incoming: (node, type) => ofType(byTarget.get(node) ?? [], type),
  };
}

function connectionsOf(connections: WorkflowVersion["connections"]): Connection[] {
  return Object.entries(connections).flatMap(([from, byType]) =>
    Object.entries(byType).flatMap(([type, outputs]) =>
      outputs.flatMap((targets, output) =>
        (targets ?? []).flatMap((target) =>
          target === null ? [] : [{ from, output, type, to: target.node, input: target.index }],
        ),
      ),
    ),
  );
}
