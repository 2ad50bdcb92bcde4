/**
 * Summarizes a workflow in a few hundred words: nodes by type, triggers, connections, credentials by type and name,
 * settings. Names only, no parameters. For large workflows, lists are cut until the summary fits. Pure.
 */
import { degrade } from "../../../mcp/degrade.ts";
import type { WorkflowNodeWithParameters, WorkflowWithNodes } from "../../../n8n/workflow-schemas.ts";
import { displayName } from "../../../platform/display-name.ts";
import { MAIN, toGraph, type WorkflowGraph } from "../../../workflows/graph.ts";
import { isStickyNote, isTriggerType } from "../../../workflows/node-types.ts";
import { shortened } from "../../shown.ts";
import { MAIN_ARROW } from "./compare-connections.ts";

type WorkflowSummary = ReturnType<typeof summaryOf>;

const MAX_DESCRIPTION = 300;

/** Limits for the length of each list; the first with which the summary fits is used. */
const LIMITS = [200, 100, 60, 40, 25, 15, 8, 4];
/**
 * @param workflow with a redacted description, since it may be cut
 * @param fits whether a summary is short enough; the shortest is returned in any case
 */
export function summarizeWorkflow(workflow: WorkflowWithNodes, fits: (summary: WorkflowSummary) => boolean) {
  const graph = toGraph(workflow);
  return degrade(LIMITS, (limit) => summaryOf(workflow, graph, limit), fits).shown;
}

function summaryOf(workflow: WorkflowWithNodes, graph: WorkflowGraph, limit: number) {
  const nodes = workflow.nodes.filter((node) => !isStickyNote(node));
  const leftOut: string[] = [];
  const cut = <T>(what: string, all: readonly T[]): readonly T[] => {
    if (all.length > limit) leftOut.push(`${all.length - limit} of ${all.length} ${what}`);
    return all.slice(0, limit);
  };
  const { versionId = null, active, parentFolder } = workflow;
  return {
    workflowId: workflow.id,
    name: workflow.name,
    active,
    archived: workflow.isArchived,
    description: workflow.description == null ? null : shortened(workflow.description, MAX_DESCRIPTION),
    tags: cut("tags", workflow.tags).map(displayName),
    /** The owning project; null if n8n does not return it, like the folder. */
    project: projectOf(workflow),
    folder: parentFolder ? { id: parentFolder.id, name: parentFolder.name ?? null } : null,
    versionId,
    publishedVersionId: workflow.activeVersionId ?? (active ? versionId : null),
    updatedAt: workflow.updatedAt ?? null,
    counts: {
      nodes: nodes.length,
      disabled: nodes.filter(({ disabled }) => disabled).length,
      connections: graph.connections.length,
    },
    triggers: cut(
      "triggers",
      nodes.filter(({ type, disabled }) => isTriggerType(type) && !disabled),
    ).map(({ name, type }) => ({ name: displayName(name), type })),
    nodesByType: cut("types of nodes", byType(nodes, limit)),
    /** One line per node: `Webhook → Check, Log`; for other types `Model =ai_languageModel⇒ Agent`. */
    flow: cut("lines of the flow", flowOf(graph)),
    credentialsUsed: cut("credentials", credentialsOf(nodes, limit)),
    settings: Object.fromEntries(
      Object.entries(workflow.settings).filter(([, value]) => value !== undefined),
    ),
    leftOut: leftOut.concat(nodes.length > limit ? ["names of nodes"] : []),
  };
}

function projectOf({ shared }: WorkflowWithNodes) {
  const owner = shared?.find((share) => share.role === "workflow:owner");
  if (!owner) return null;
  const { name, type } = owner.project ?? {};
  // A personal project is named after a person.
  const isTeam = type === "team" && name !== undefined;
  return { id: owner.projectId, type: type ?? null, name: isTeam ? displayName(name) : null };
}

function byType(nodes: readonly WorkflowNodeWithParameters[], limit: number) {
  return [...Map.groupBy(nodes, ({ type }) => type)]
    .map(([type, all]) => ({
      type,
      count: all.length,
      names: all
        .slice(0, limit)
        .map(({ name, disabled }) => displayName(name) + (disabled ? " (disabled)" : "")),
    }))
    .sort((a, b) => b.count - a.count);
}

function flowOf(graph: WorkflowGraph): string[] {
  return [...graph.nodes.keys()].flatMap((from) => {
    const types = [...new Set(graph.outgoing(from).map(({ type }) => type))];
    return types.map((type) => {
      const targets = [...new Set(graph.outgoing(from, type).map(({ to }) => displayName(to)))].join(", ");
      return type === MAIN
        ? `${displayName(from)} ${MAIN_ARROW} ${targets}`
        : `${displayName(from)} =${type}⇒ ${targets}`;
    });
  });
}

function credentialsOf(nodes: readonly WorkflowNodeWithParameters[], limit: number) {
  const uses = nodes.flatMap((node) =>
    Object.entries(node.credentials ?? {}).map(([type, reference]) => ({
      type,
      name: reference?.name ?? null,
      node: displayName(node.name),
    })),
  );
  const groups = Map.groupBy(uses, ({ type, name }) => JSON.stringify([type, name]));
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map(({ type, name }) => ({
      type,
      name,
      nodes: group.slice(0, limit).map(({ node }) => node),
    })),
  );
}
