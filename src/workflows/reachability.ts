/** Finds the nodes that can run: where executions begin and which nodes they reach. Pure. */
import type { WorkflowNodeWithParameters } from "../n8n/workflow-schemas.ts";
import { MAIN, type WorkflowGraph } from "./graph.ts";
import { isTriggerType } from "./node-types.ts";

/** The nodes at which an execution can begin; disabled ones cannot. */
export function triggersOf(graph: WorkflowGraph): WorkflowNodeWithParameters[] {
  return [...graph.nodes.values()].filter((node) => isTriggerType(node.type) && !node.disabled);
}

/** The connections along which items can flow on: through a disabled node they pass from its first output. */
function flowFrom(graph: WorkflowGraph, name: string): string[] {
  const isDisabled = graph.nodes.get(name)?.disabled === true;
  return graph
    .outgoing(name, MAIN)
    .filter(({ output }) => !isDisabled || output === 0)
    .map(({ to }) => to);
}

/** The nodes that items can reach from these, these included. */
export function reachableFrom(graph: WorkflowGraph, starts: Iterable<string>): Set<string> {
  return spread(starts, (name) => flowFrom(graph, name));
}

/** All nodes that can run: those that items reach from a trigger, and the sub-nodes that these use. */
export function liveNodes(graph: WorkflowGraph): Set<string> {
  const reached = reachableFrom(
    graph,
    triggersOf(graph).map(({ name }) => name),
  );
  return spread(reached, (name) =>
    graph
      .incoming(name)
      .filter(({ type, from }) => type !== MAIN && graph.nodes.get(from)?.disabled !== true)
      .map(({ from }) => from),
  );
}

/** The start nodes and all that follow from them. */
export function spread(starts: Iterable<string>, next: (name: string) => Iterable<string>): Set<string> {
  const found = new Set(starts);
  // A set hands out what is added while it is walked.
  for (const name of found) for (const following of next(name)) found.add(following);
  return found;
}
