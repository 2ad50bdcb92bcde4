/** One workflow as the rules see it: the version that runs, its graph, its roles, and the instance around it. Pure. */
import type {
  WorkflowNodeWithParameters,
  WorkflowVersion,
  WorkflowWithNodes,
} from "../../n8n/workflow-schemas.ts";
import { toGraph, type WorkflowGraph } from "../graph.ts";
import { isStickyNote } from "../node-types.ts";
import { liveNodes } from "../reachability.ts";
import { runningVersion } from "../versions.ts";
import { outlineOf, type WorkflowOutline } from "../workflow-outline.ts";
import type { InstanceFacts, ToolUse } from "./instance-facts.ts";

/**
 * - `server`: an MCP server trigger begins it
 * - `tool`: the sub-workflow of a tool node of such a server
 * - `error_workflow`: another workflow names it in `settings.errorWorkflow`
 * - `sub_workflow`: another workflow calls it (a tool is one, too)
 * - `any`: every workflow
 */
export type Role = "server" | "tool" | "error_workflow" | "sub_workflow" | "any";

/** Finds the paths of parameters that hold a secret; never shows one. */
export type FindSecrets = (parameters: unknown) => readonly string[];

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
  return {
    workflow,
    version,
    outline,
    graph,
    roles: rolesOf(outline, instance),
    nodes: [...graph.nodes.values()].filter(
      (node) => live.has(node.name) && !node.disabled && !isStickyNote(node),
    ),
    toolUses: instance.toolUses.get(workflow.id) ?? [],
    instance,
    findSecrets,
  };
}

function rolesOf({ id, triggers }: WorkflowOutline, instance: InstanceFacts): Set<Role> {
  const roles = new Set<Role>(["any"]);
  if (triggers.length > 0) roles.add("server");
  if (instance.toolUses.has(id)) roles.add("tool");
  if (instance.callers.has(id)) roles.add("sub_workflow");
  if (instance.errorWorkflowOf.has(id)) roles.add("error_workflow");
  return roles;
}
