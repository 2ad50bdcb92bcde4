/** One workflow as the rules see it: the version that runs, its graph, its roles, and the instance around it. Pure. */
import type {
  WorkflowNodeWithParameters,
  WorkflowVersion,
  WorkflowWithNodes,
} from "../../n8n/workflow-schemas.ts";
import { liveNodes, reachableFrom, toGraph, type WorkflowGraph } from "../../workflows/graph.ts";
import type { NodeParameters } from "../../workflows/node-parameters.ts";
import { EXECUTE_WORKFLOW, isStickyNote, shortType, TOOL_WORKFLOW } from "../../workflows/node-types.ts";
import { subWorkflowReference } from "../../workflows/sub-workflows.ts";
import {
  isServer,
  outlineOf,
  runningVersion,
  type WorkflowOutline,
} from "../../workflows/workflow-outline.ts";
import type { InstanceFacts, ToolUse } from "./instance-facts.ts";

/**
 * - `server`: an MCP server trigger begins it
 * - `tool`: the sub-workflow of a tool node of such a server
 * - `router`: one of its Switch nodes chooses which tool it calls
 * - `error_workflow`: a server or a tool names it in `settings.errorWorkflow`
 * - `any`: every workflow
 */
export type Role = "server" | "tool" | "router" | "error_workflow" | "any";

/** Finds the paths of parameters that hold a secret; never shows one. */
export type FindSecrets = (parameters: NodeParameters) => readonly string[];

type Nodes = readonly WorkflowNodeWithParameters[];

export interface AuditSubject {
  readonly workflow: WorkflowWithNodes;
  readonly version: WorkflowVersion;
  readonly outline: WorkflowOutline;
  readonly graph: WorkflowGraph;
  readonly roles: ReadonlySet<Role>;
  /** Nodes that can run, in the workflow's order: reachable from a trigger, enabled, no sticky notes. */
  readonly nodes: Nodes;
  /** The nodes that serve the workflow's MCP server triggers as tools, each once. */
  readonly toolNodes: Nodes;
  /** The nodes among `toolNodes` that call a sub-workflow. */
  readonly workflowTools: Nodes;
  /** The nodes among `nodes` that call the sub-workflow of a tool, as a router does. */
  readonly toolCalls: Nodes;
  /** The tool nodes of MCP servers that call this workflow. */
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
  const toolNames = new Set(outline.triggers.flatMap((trigger) => trigger.toolNodes));
  const toolNodes = [...toolNames].flatMap((name) => graph.nodes.get(name) ?? []);
  const toolCalls = nodes.filter((node) => callsTool(node, instance));
  const roles = rolesOf(outline.id, instance);
  if (choosesTool(graph, nodes, toolCalls)) roles.add("router");
  return {
    workflow,
    version,
    outline,
    graph,
    roles,
    nodes,
    toolNodes,
    workflowTools: toolNodes.filter(({ type }) => type === TOOL_WORKFLOW),
    toolCalls,
    toolUses: instance.toolUses.get(workflow.id) ?? [],
    instance,
    findSecrets,
  };
}

/** The roles that the instance gives to a workflow. */
function rolesOf(id: string, { workflows, toolUses, errorWorkflowOf }: InstanceFacts): Set<Role> {
  const roles = new Set<Role>(["any"]);
  const outline = workflows.get(id);
  if (outline !== undefined && isServer(outline)) roles.add("server");
  if (toolUses.has(id)) roles.add("tool");
  const served = errorWorkflowOf.get(id) ?? [];
  if (served.some((each) => isServer(each) || toolUses.has(each.id))) roles.add("error_workflow");
  return roles;
}

/** Whether a call of a tool follows a Switch. */
function choosesTool(graph: WorkflowGraph, nodes: Nodes, toolCalls: Nodes): boolean {
  const switches = nodes.filter(({ type }) => shortType(type) === "switch").map(({ name }) => name);
  const behind = reachableFrom(graph, switches);
  return toolCalls.some(({ name }) => behind.has(name));
}

/** The guide's prefix for the names of sub-workflows that serve as tools. */
export const TOOL_PREFIX = "SWF_";

/** Whether a node is a step that calls a workflow which is a tool of a server, or is named like one. */
export function callsTool(
  node: WorkflowNodeWithParameters,
  { toolUses, workflows }: Pick<InstanceFacts, "toolUses" | "workflows">,
): boolean {
  if (node.type !== EXECUTE_WORKFLOW) return false;
  const reference = subWorkflowReference(node);
  if (reference.kind !== "id") return false;
  const name = workflows.get(reference.workflowId)?.name ?? "";
  return toolUses.has(reference.workflowId) || name.startsWith(TOOL_PREFIX);
}
