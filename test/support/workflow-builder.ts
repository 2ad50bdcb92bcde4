/** Workflows for tests, as n8n's API returns them, read as the client reads them. */
import type { ReadValue } from "../../src/json/omitted.ts";
import {
  toWorkflowWithNodes,
  type WorkflowNodeWithParameters,
  type WorkflowWithNodes,
} from "../../src/n8n/workflow-schemas.ts";
import { toGraph, type WorkflowGraph } from "../../src/workflows/graph.ts";

export interface RawNode {
  readonly name: string;
  readonly type?: string;
  readonly [key: string]: ReadValue | undefined;
}

type Json = { [key: string]: ReadValue };

export function rawNode({ name, type = "n8n-nodes-base.noOp", ...rest }: RawNode): Json {
  const given = Object.entries(rest).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  const facts = { id: `id of ${name}`, typeVersion: 1, position: [0, 0], parameters: {} };
  return { ...facts, name, type, ...Object.fromEntries(given) };
}

/** @param connections in n8n's own form @param facts further members of the workflow */
export function rawWorkflow(nodes: readonly RawNode[], connections: ReadValue = {}, facts: Json = {}): Json {
  return { id: "w1", name: "Workflow", active: false, nodes: nodes.map(rawNode), connections, ...facts };
}

export function workflowOf(
  nodes: readonly RawNode[],
  connections: ReadValue = {},
  facts: Json = {},
): WorkflowWithNodes {
  return toWorkflowWithNodes(rawWorkflow(nodes, connections, facts));
}

export function graphOf(nodes: readonly RawNode[], connections: ReadValue = {}): WorkflowGraph {
  return toGraph(workflowOf(nodes, connections));
}

export function nodeOf(node: RawNode): WorkflowNodeWithParameters {
  const [read] = workflowOf([node]).nodes;
  if (read === undefined) throw new Error("the node was not read");
  return read;
}

/** Connections of one type: `{ a: [["b"], ["c", "d"]] }` connects output 0 of a to b, output 1 to c and d. */
export function wires(
  outputs: Readonly<Record<string, readonly (readonly string[])[]>>,
  type = "main",
): Json {
  return Object.fromEntries(
    Object.entries(outputs).map(([from, targets]) => [
      from,
      { [type]: targets.map((names) => names.map((node) => ({ node, type, index: 0 }))) },
    ]),
  );
}
