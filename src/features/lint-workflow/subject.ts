/** One workflow as the rules see it: the version that runs, its graph, its roles, and the instance around it. Pure. */
import type {
  WorkflowNodeWithParameters,
  WorkflowVersion,
  WorkflowWithNodes,
} from "../../n8n/workflow-schemas.ts";
import { toGraph, type WorkflowGraph } from "../../workflows/graph.ts";
import type { NodeParameters } from "../../workflows/node-parameters.ts";
import { isStickyNote, shortType } from "../../workflows/node-types.ts";
import { liveNodes, reachableFrom } from "../../workflows/reachability.ts";
import { runningVersion } from "../../workflows/versions.ts";
import { outlineOf, type WorkflowOutline } from "../../workflows/workflow-outline.ts";
import type { InstanceFacts, ToolUse } from "./instance-facts.ts";
import { callsTool } from "./tool-calls.ts";

/**
 * - `server`: an MCP server trigger begins it
 * - `tool`: the sub-workflow of a tool node of such a server
 * - `router`: a Switch of it chooses which tool it calls
 * - `error_workflow`: a server or a tool names it in `settings.errorWorkflow`
 * - `any`: every workflow
 */
export type Role = "server" | "tool" | "router" | "error_workflow" | "any";

/** Finds the paths of parameters that hold a secret; never shows one. */
export type FindSecrets = (parameters: NodeParameters) => readonly string[];

export interface AuditSubject {
  readonly workflow: WorkflowWithNodes;
  readonly version: WorkflowVersion;
  readonly outline: WorkflowOutline;
  readonly graph: WorkflowGraph;
  readonly roles: ReadonlySet<Role>;
  /** Nodes that can run, in the workflow's order: reachable from a trigger, enabled, no sticky notes. */
  readonly nodes: readonly WorkflowNodeWithParameters[];
  /** The tool nodes of MCP servers that call it. */
  readonly toolUses: readonly ToolUse[];
  readonly instance: InstanceFacts;
  readonly findSecrets: FindSecrets;
}

export function toSubject(
  workflow: WorkflowWithNodes,
  instance: InstanceFacts,
  findSecrets: FindSecrets,
): AuditSubject {
  const version = runningVersion(workflow);
  const graph = toGraph(version);
  const live = liveNodes(graph);
  const outline = outlineOf(workflow);
  const nodes = [...graph.nodes.values()].filter(
    (node) => live.has(node.name) && !node.disabled && !isStickyNote(node),
  );
  const roles = rolesOf(outline.id, instance);
  if (isRouter(graph, nodes, instance)) roles.add("router");
  const toolUses = instance.toolUses.get(workflow.id) ?? [];
  return { workflow, version, outline, graph, roles, nodes, toolUses, instance, findSecrets };
}

/** What the other workflows make of it. */
export function rolesOf(id: string, instance: InstanceFacts): Set<Role> {
  const roles = new Set<Role>(["any"]);
  if (isServer(id, instance)) roles.add("server");
  if (instance.toolUses.has(id)) roles.add("tool");
  const served = instance.errorWorkflowOf.get(id) ?? [];
  if (served.some((each) => isServer(each, instance) || instance.toolUses.has(each)))
    roles.add("error_workflow");
  return roles;
}

function isServer(id: string, { workflows }: InstanceFacts): boolean {
  return (workflows.get(id)?.triggers.length ?? 0) > 0;
}

function isRouter(
  graph: WorkflowGraph,
  nodes: readonly WorkflowNodeWithParameters[],
  instance: InstanceFacts,
): boolean {
  const switches = nodes.filter(({ type }) => shortType(type) === "switch").map(({ name }) => name);
  if (switches.length === 0) return false;
  const behind = reachableFrom(graph, switches);
  return nodes.some((node) => behind.has(node.name) && callsTool(node, instance));
}
