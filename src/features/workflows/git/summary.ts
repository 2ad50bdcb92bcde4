/**
 * What a workflow is, in a few hundred words: nodes by type, triggers, where each leads, credentials by type and
 * name, settings. Names only, no parameters. Made to fit: of large workflows, the first nodes. Pure.
 */

import { degrade } from "../../../mcp/degrade.ts";
import type { WorkflowNodeWithParameters, WorkflowWithNodes } from "../../../n8n/workflow-schemas.ts";
import { visibleName } from "../../../platform/display-name.ts";
import { MAIN, toGraph, type WorkflowGraph } from "../../../workflows/graph.ts";

export interface NodesOfType {
  readonly type: string;
  readonly count: number;
  readonly names: readonly string[];
}

export interface UsedCredential {
  readonly type: string;
  readonly name: string | null;
  readonly nodes: readonly string[];
}

export interface WorkflowSummary {
  readonly workflowId: string;
  readonly name: string;
  readonly active: boolean;
  readonly archived: boolean;
  readonly description: string | null;
  readonly tags: readonly string[];
  /** The one that owns it; null where n8n does not tell. */
  readonly project: WorkflowProject | null;
  /** Null where n8n does not tell. */
  readonly folder: { readonly id: string; readonly name: string | null } | null;
  readonly versionId: string | null;
  /** Null when nothing is published. */
  readonly publishedVersionId: string | null;
  readonly updatedAt: string | null;
  readonly counts: Readonly<Record<"nodes" | "disabled" | "connections", number>>;
  readonly triggers: readonly { readonly name: string; readonly type: string }[];
  readonly nodesByType: readonly NodesOfType[];
  /** One line a node: `Webhook → Check, Log`; of another kind, `Model =ai_languageModel⇒ Agent`. */
  readonly flow: readonly string[];
  readonly credentialsUsed: readonly UsedCredential[];
  readonly settings: Readonly<Record<string, unknown>>;
  /** What was left out to keep it short. */
  readonly leftOut: readonly string[];
}

export interface WorkflowProject {
  readonly id: string;
  readonly type: string | null;
  /** Null for a personal one, which n8n names after a person. */
  readonly name: string | null;
}

const STICKY_NOTE = "n8n-nodes-base.stickyNote";
const MAX_DESCRIPTION = 300;

/** Most of each list, from all to the fewest. */
const LIMITS = [200, 100, 60, 40, 25, 15, 8, 4];
const MAX_SHOWN_NAME = 60;

const shown = (name: string): string => {
  const visible = visibleName(name);
  return visible.length > MAX_SHOWN_NAME ? `${visible.slice(0, MAX_SHOWN_NAME - 1)}…` : visible;
};

/** @param fits whether it is short enough; the shortest is given in any case */
export function summarizeWorkflow(
  workflow: WorkflowWithNodes,
  fits: (summary: WorkflowSummary) => boolean,
): WorkflowSummary {
  const graph = toGraph(workflow);
  return degrade(LIMITS, (limit) => summaryOf(workflow, graph, limit), fits).shown;
}

function summaryOf(workflow: WorkflowWithNodes, graph: WorkflowGraph, limit: number): WorkflowSummary {
  const nodes = workflow.nodes.filter(({ type }) => type !== STICKY_NOTE);
  const leftOut: string[] = [];
  const cut = <T>(what: string, all: readonly T[]): readonly T[] => {
    if (all.length > limit) leftOut.push(`${all.length - limit} of ${all.length} ${what}`);
    return all.slice(0, limit);
  };
  const description = workflow.description ?? null;
  return {
    workflowId: workflow.id,
    name: workflow.name,
    active: workflow.active,
    archived: workflow.isArchived,
    description: description === null ? null : description.slice(0, MAX_DESCRIPTION),
    tags: cut("tags", workflow.tags).map(shown),
    project: projectOf(workflow),
    folder: workflow.parentFolder
      ? { id: workflow.parentFolder.id, name: workflow.parentFolder.name ?? null }
      : null,
    versionId: workflow.versionId ?? null,
    publishedVersionId: workflow.activeVersionId ?? (workflow.active ? (workflow.versionId ?? null) : null),
    updatedAt: workflow.updatedAt ?? null,
    counts: {
      nodes: nodes.length,
      disabled: nodes.filter(({ disabled }) => disabled).length,
      connections: graph.connections.length,
    },
    triggers: cut("triggers", nodes.filter(isTrigger)).map(({ name, type }) => ({ name: shown(name), type })),
    nodesByType: cut("types of nodes", byType(nodes, limit)),
    flow: cut("lines of the flow", flowOf(graph)),
    credentialsUsed: cut("credentials", credentialsOf(nodes, limit)),
    settings: Object.fromEntries(
      Object.entries(workflow.settings).filter(([, value]) => value !== undefined),
    ),
    leftOut: leftOut.concat(nodes.length > limit ? ["names of nodes"] : []),
  };
}

function projectOf({ shared }: WorkflowWithNodes): WorkflowProject | null {
  const owner = (shared ?? []).find((share) => share?.role === "workflow:owner");
  if (owner === undefined || owner === null) return null;
  const { name, type } = owner.project ?? {};
  const isTeam = type === "team" && name !== undefined;
  return { id: owner.projectId, type: type ?? null, name: isTeam ? shown(name) : null };
}

/** By their names, which n8n keeps to. */
function isTrigger({ type }: WorkflowNodeWithParameters): boolean {
  return /trigger$/i.test(type) || /\.(?:webhook|formTrigger|start|cron|interval)$/.test(type);
}

function byType(nodes: readonly WorkflowNodeWithParameters[], limit: number): NodesOfType[] {
  const groups = new Map<string, WorkflowNodeWithParameters[]>();
  for (const node of nodes) groups.set(node.type, [...(groups.get(node.type) ?? []), node]);
  return [...groups]
    .map(([type, all]) => ({
      type,
      count: all.length,
      names: all.slice(0, limit).map(({ name, disabled }) => shown(name) + (disabled ? " (disabled)" : "")),
    }))
    .sort((a, b) => b.count - a.count);
}

function flowOf(graph: WorkflowGraph): string[] {
  return [...graph.nodes.keys()].flatMap((from) => {
    const types = [...new Set(graph.outgoing(from).map(({ type }) => type))];
    return types.map((type) => {
      const targets = [...new Set(graph.outgoing(from, type).map(({ to }) => shown(to)))].join(", ");
      return type === MAIN ? `${shown(from)} → ${targets}` : `${shown(from)} =${type}⇒ ${targets}`;
    });
  });
}

function credentialsOf(nodes: readonly WorkflowNodeWithParameters[], limit: number): UsedCredential[] {
  const used = new Map<string, { type: string; name: string | null; nodes: string[] }>();
  for (const node of nodes) {
    for (const [type, reference] of Object.entries(node.credentials ?? {})) {
      const name = reference?.name ?? null;
      const key = JSON.stringify([type, name]);
      const entry = used.get(key) ?? { type, name, nodes: [] };
      if (entry.nodes.length < limit) entry.nodes.push(shown(node.name));
      used.set(key, entry);
    }
  }
  return [...used.values()];
}
