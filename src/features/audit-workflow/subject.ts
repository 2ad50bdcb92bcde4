/**
 * One workflow as the rules see it: the version that runs, its graph, its roles, and facts about the instance, which are
 * collected once per audit. Pure.
 */
import type { WorkflowNodeWithParameters, WorkflowWithNodes } from "../../n8n/workflow-schemas.ts";
import { memoizeLast } from "../../platform/memoize.ts";
import { readAtdf } from "../../workflows/atdf/read-atdf.ts";
import { liveNodes, reachableFrom, toGraph, type WorkflowGraph } from "../../workflows/graph.ts";
import { callCycles, type InstanceOutline } from "../../workflows/mcp-server-map.ts";
import type { NodeParameters } from "../../workflows/node-parameters.ts";
import { EXECUTE_WORKFLOW, isStickyNote, shortType, TOOL_WORKFLOW } from "../../workflows/node-types.ts";
import { subWorkflowReference } from "../../workflows/sub-workflows.ts";
import {
  isServer,
  outlineOf,
  runningVersion,
  type WorkflowOutline,
} from "../../workflows/workflow-outline.ts";
import type { PastRuns } from "./past-runs.ts";

/**
 * - `server`: an MCP server trigger begins it
 * - `tool`: the sub-workflow of a tool node of such a server
 * - `router`: one of its Switch nodes chooses which tool it calls
 * - `error_workflow`: a server or a tool names it in `settings.errorWorkflow`
 * - `any`: every workflow
 */
export type Role = "server" | "tool" | "router" | "error_workflow" | "any";

export type InstanceFacts = Readonly<ReturnType<typeof instanceFacts>>;

export function instanceFacts(instance: InstanceOutline) {
  const outlines = [...instance.workflows.values()];
  return {
    ...instance,
    readAtdf: memoizeLast(readAtdf, Number.POSITIVE_INFINITY),
    /** Id of a sub-workflow → the tool nodes of MCP servers that call it. */
    toolUses: Map.groupBy(outlines.flatMap(toolUsesOf), ({ workflowId }) => workflowId),
    /** Id of a workflow → those that name it as their error workflow. */
    errorWorkflowOf: Map.groupBy(outlines, ({ errorWorkflowId }) => errorWorkflowId),
    cycles: callCycles(instance, instance.workflows.keys()),
  };
}

function toolUsesOf({ id, name, tools }: WorkflowOutline) {
  return tools.flatMap(({ node, calls }) =>
    calls?.kind === "id" ? [{ workflowId: calls.workflowId, serverId: id, serverName: name, node }] : [],
  );
}

/** Finds the paths of parameters that hold a secret; never returns the secret. */
export type FindSecrets = (parameters: NodeParameters) => readonly string[];

export type AuditSubject = Readonly<ReturnType<typeof toSubject>>;

/** @param pastRuns undefined when no executions were read */
export function toSubject(
  workflow: WorkflowWithNodes,
  instance: InstanceFacts,
  findSecrets: FindSecrets,
  pastRuns?: PastRuns,
) {
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
    /** Nodes that can run, in the workflow's order: reachable from a trigger, enabled, no sticky notes. */
    nodes,
    /** The nodes that serve the workflow's MCP server triggers as tools, each once. */
    toolNodes,
    /** The nodes among `toolNodes` that call a sub-workflow. */
    workflowTools: toolNodes.filter(({ type }) => type === TOOL_WORKFLOW),
    /** The nodes among `nodes` that call the sub-workflow of a tool, as a router does. */
    toolCalls,
    toolUses: instance.toolUses.get(workflow.id) ?? [],
    instance,
    findSecrets,
    pastRuns,
  };
}

function rolesOf(id: string, { workflows, toolUses, errorWorkflowOf }: InstanceFacts): Set<Role> {
  const roles = new Set<Role>(["any"]);
  const outline = workflows.get(id);
  if (outline !== undefined && isServer(outline)) roles.add("server");
  if (toolUses.has(id)) roles.add("tool");
  const served = errorWorkflowOf.get(id) ?? [];
  if (served.some((each) => isServer(each) || toolUses.has(each.id))) roles.add("error_workflow");
  return roles;
}

type Nodes = readonly WorkflowNodeWithParameters[];

/** Whether a call of a tool follows a Switch. */
function choosesTool(graph: WorkflowGraph, nodes: Nodes, toolCalls: Nodes): boolean {
  const switches = nodes.filter(({ type }) => shortType(type) === "switch").map(({ name }) => name);
  const behind = reachableFrom(graph, switches);
  return toolCalls.some(({ name }) => behind.has(name));
}

/** The guide's prefix for the names of sub-workflows that serve as tools. */
export const TOOL_PREFIX = "SWF_";

/** Whether a node calls a workflow that is a tool of a server, or is named like one. */
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
