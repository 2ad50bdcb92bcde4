/**
 * A workflow in the form for version control: what n8n's import takes and gives back, in one order, without what
 * changes by itself. Two exports of the same workflow are equal, whatever the order of keys and nodes in them.
 *
 * Dropped: ids and versions of the workflow, times, tags, description, whether it is active, static and pinned
 * data, who it is shared with (n8n's import takes none of these), and what n8n derives. Credentials keep their
 * type and name; their id is null, for which n8n looks for the name. Pure.
 */
import type { Json, JsonObject } from "../../../platform/compare-values.ts";
import { isObject } from "../../../platform/is-object.ts";

/** What is read of an export, or of one version of a workflow's history. */
export interface WorkflowParts {
  readonly name?: string | null | undefined;
  readonly nodes: readonly Readonly<Record<string, unknown>>[];
  readonly connections: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, unknown>> | null | undefined;
  readonly nodeGroups?: readonly unknown[] | null | undefined;
}

export interface GitWorkflow extends JsonObject {
  readonly connections: JsonObject;
  readonly nodes: readonly JsonObject[];
}

/** n8n keeps these members of nodes, but they are no part of what a node does. */
const VOLATILE_OF_NODES = new Set(["createdAt", "updatedAt", "issues"]);
/** Absent is n8n's own way to say false. */
const FLAGS = new Set(
  "disabled notesInFlow executeOnce alwaysOutputData retryOnFail continueOnFail".split(" "),
);
/** n8n derives these itself and takes none (its `workflowSettingsWritePublicSchema`). */
const DERIVED_SETTINGS = new Set(["binaryMode", "credentialResolverId"]);

/** Compares code units, which no locale changes. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function sorted(entries: readonly (readonly [string, Json])[]): JsonObject {
  return Object.fromEntries([...entries].sort(([a], [b]) => compare(a, b)));
}

/** Keys in order, lists as they are. What JSON cannot hold becomes null. */
function ordered(value: unknown): Json {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return null;
  return sorted(
    Object.entries(value).flatMap(([key, member]) =>
      member === undefined ? [] : [[key, ordered(member)] as const],
    ),
  );
}

/** By id, then by name: a node that is renamed stays where it is. */
function orderedNodes(nodes: WorkflowParts["nodes"]): JsonObject[] {
  const text = (node: JsonObject, key: string): string => (typeof node[key] === "string" ? node[key] : "");
  return nodes
    .map(toGitNode)
    .sort((a, b) => compare(text(a, "id"), text(b, "id")) || compare(text(a, "name"), text(b, "name")));
}

function toGitNode(node: Readonly<Record<string, unknown>>): JsonObject {
  const kept = Object.entries(node).filter(
    ([key, value]) =>
      value !== undefined && !VOLATILE_OF_NODES.has(key) && !(FLAGS.has(key) && value === false),
  );
  return sorted(
    kept.map(([key, value]) => [key, key === "credentials" ? toGitCredentials(value) : ordered(value)]),
  );
}

/** `{ slackApi: { id: null, name: "Slack account" } }`. Without an id n8n would take any of that type. */
function toGitCredentials(credentials: unknown): Json {
  if (!isObject(credentials)) return ordered(credentials);
  return sorted(
    Object.entries(credentials).map(([type, reference]) => {
      const name = isObject(reference) ? reference.name : reference;
      return [type, { id: null, name: typeof name === "string" ? name : null }];
    }),
  );
}

/** Leaves out outputs that lead nowhere, at the end of a list or alone: the editor leaves them behind. */
function toGitConnections(connections: Readonly<Record<string, unknown>>): JsonObject {
  const sources = Object.entries(connections).map(([source, types]) => {
    const kept = Object.entries(isObject(types) ? types : {}).map(
      ([type, outputs]) => [type, toOutputs(outputs)] as const,
    );
    return [source, sorted(kept.filter(([, outputs]) => outputs.length > 0))] as const;
  });
  return sorted(sources.filter(([, types]) => Object.keys(types).length > 0));
}

function toOutputs(outputs: unknown): readonly Json[] {
  const all = (Array.isArray(outputs) ? outputs : []).map((targets) =>
    (Array.isArray(targets) ? targets : []).filter((target) => target !== null).map(ordered),
  );
  return all.slice(0, all.findLastIndex((targets) => targets.length > 0) + 1);
}

function toGitSettings(settings: Readonly<Record<string, unknown>>): JsonObject {
  const kept = Object.entries(settings).filter(
    ([key, value]) =>
      value !== undefined && value !== null && value !== "DEFAULT" && !DERIVED_SETTINGS.has(key),
  );
  return sorted(kept.map(([key, value]) => [key, ordered(value)]));
}

function toGitGroups(groups: readonly unknown[]): Json {
  const id = (group: unknown): string => (isObject(group) && typeof group.id === "string" ? group.id : "");
  return [...groups]
    .sort((a, b) => compare(id(a), id(b)))
    .map((group) =>
      isObject(group) && Array.isArray(group.nodeIds)
        ? ordered({ ...group, nodeIds: group.nodeIds.map(String).sort(compare) })
        : ordered(group),
    );
}

/** What is not there in the parts is not there in the result: a version of the history has no settings. */
export function toGitWorkflow(workflow: WorkflowParts): GitWorkflow {
  const { name, nodes, connections, settings, nodeGroups } = workflow;
  return {
    connections: toGitConnections(connections),
    ...(typeof name === "string" ? { name } : {}),
    ...(nodeGroups?.length ? { nodeGroups: toGitGroups(nodeGroups) } : {}),
    nodes: orderedNodes(nodes),
    ...(isObject(settings) ? { settings: toGitSettings(settings) } : {}),
  };
}
