/** Draws the map of MCP servers as a flowchart: server → tools → sub-workflows, and the servers that they use. Pure. */
import { withoutNumbers } from "../../redaction/marks.ts";
import {
  type CalledWorkflow,
  followedCalls,
  type MappedServer,
  type McpServerMap,
} from "../../workflows/mcp-server-map.ts";
import type { WorkflowOutline } from "../../workflows/workflow-outline.ts";
import { type ChartEdge, type ChartNode, flowchart } from "./mermaid.ts";

const workflowBox = (id: string): string => `workflow ${id}`;
const nodeBox = (workflowId: string, node: string): string => `node ${workflowId} ${node}`;

interface ChartOptions {
  readonly most: number;
  /** Redacts a name: escaped, a secret in it would not be recognized. */
  readonly show: (name: string) => string;
}

export function mcpServerChart(
  map: Pick<McpServerMap, "servers" | "called">,
  { most, show }: ChartOptions,
): string {
  const servers = new Map(map.servers.flatMap(serverNodes).map((node) => [node.id, node]));
  const called = [...map.called.values()].filter(({ workflowId }) => !servers.has(workflowBox(workflowId)));
  const edges = [
    ...map.servers.flatMap(serverEdges),
    ...called.flatMap(({ outline }) => (outline === undefined ? [] : callEdges(outline))),
  ];
  const nodes = [...servers.values(), ...called.map(calledNode)].map((node) => ({
    ...node,
    label: withoutNumbers(show(node.label)),
  }));
  return flowchart(nodes, edges, most);
}

const box = (id: string, label: string, shape: ChartNode["shape"], isBroken = false): ChartNode => ({
  id,
  label,
  shape,
  isBroken,
});

function serverNodes({ outline, subServers }: MappedServer): ChartNode[] {
  const { id, name, tools, isPublished } = outline;
  return [
    box(workflowBox(id), name, "stadium", !isPublished),
    ...tools.map(({ node, mcpName, problems }) =>
      box(nodeBox(id, node), mcpName ?? node, "rectangle", problems.length > 0),
    ),
    ...subServers.map(({ client }) => box(nodeBox(id, client.node), client.node, "hexagon")),
  ];
}

function serverEdges({ outline, subServers }: MappedServer): ChartEdge[] {
  const own = workflowBox(outline.id);
  const boxes = new Set(
    [...outline.tools, ...subServers.map(({ client }) => client)].map(({ node }) => node),
  );
  return [
    ...[...boxes].map((node) => ({ from: own, to: nodeBox(outline.id, node) })),
    ...subServers.flatMap(({ client, workflowId }) =>
      workflowId === undefined
        ? []
        : [{ from: nodeBox(outline.id, client.node), to: workflowBox(workflowId), isDotted: true }],
    ),
    ...followedCalls(outline).map(({ node, workflowId }) => ({
      from: boxes.has(node) ? nodeBox(outline.id, node) : own,
      to: workflowBox(workflowId),
    })),
  ];
}

function callEdges(outline: WorkflowOutline): ChartEdge[] {
  return followedCalls(outline).map(({ workflowId }) => ({
    from: workflowBox(outline.id),
    to: workflowBox(workflowId),
  }));
}

function calledNode({ workflowId, outline, state }: CalledWorkflow): ChartNode {
  const isBroken = ["missing", "archived", "draft"].includes(state);
  return box(workflowBox(workflowId), outline?.name ?? `${workflowId} (${state})`, "subroutine", isBroken);
}
