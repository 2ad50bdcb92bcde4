/**
 * Converts a workflow to the form for version control: what n8n's import accepts, in a fixed order, without members that
 * change by themselves. Two exports of the same workflow are equal, whatever the order of their keys and nodes.
 *
 * Dropped: ids and versions of the workflow, times, tags, description, active state, static and pinned data, sharing
 * (n8n's import ignores all of these), and derived members. Credentials keep their type and name; their id is null, so
 * that n8n looks them up by name. Pure.
 */
import type { Json, JsonObject } from "../../../platform/compare-values.ts";
import { isObject } from "../../../platform/is-object.ts";

/** The members that are read from an export, or from a version of a workflow's history. */
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

/** n8n stores these members of nodes, but they do not affect what a node does. */
const VOLATILE_OF_NODES = new Set(["createdAt", "updatedAt", "issues"]);
/** n8n treats an absent flag as false. */
const FLAGS = new Set(
  "disabled notesInFlow executeOnce alwaysOutputData retryOnFail continueOnFail".split(" "),
);
/** n8n derives these itself and does not accept them (its `workflowSettingsWritePublicSchema`). */
const DERIVED_SETTINGS = new Set(["binaryMode", "credentialResolverId"]);

/** Compares code units, independent of locale. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const sorted = (entries: readonly (readonly [string, Json])[]): JsonObject =>
  Object.fromEntries([...entries].sort(([a], [b]) => compare(a, b)));

/** Sorts keys, and keeps the order of lists. Values that JSON cannot hold become null. */
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

/** Sorts by id, then by name, so that a renamed node keeps its position. */
function orderedNodes(nodes: WorkflowParts["nodes"], keepsIds: boolean): JsonObject[] {
  const text = (node: JsonObject, key: string): string => (typeof node[key] === "string" ? node[key] : "");
  return nodes
    .map((node) => toGitNode(node, keepsIds))
    .sort((a, b) => compare(text(a, "id"), text(b, "id")) || compare(text(a, "name"), text(b, "name")));
}

function toGitNode(node: Readonly<Record<string, unknown>>, keepsIds: boolean): JsonObject {
  const kept = Object.entries(node).filter(
    ([key, value]) =>
      value !== undefined && !VOLATILE_OF_NODES.has(key) && !(FLAGS.has(key) && value === false),
  );
  return sorted(
    kept.map(([key, value]) => [
      key,
      key === "credentials" ? toGitCredentials(value, keepsIds) : ordered(value),
    ]),
  );
}

/** `{ slackApi: { id: null, name: "Slack account" } }`. If the id were absent, n8n would use any of that type. */
function toGitCredentials(credentials: unknown, keepsIds: boolean): Json {
  if (!isObject(credentials)) return ordered(credentials);
  return sorted(
    Object.entries(credentials).map(([type, reference]) => {
      const { id, name } = isObject(reference) ? reference : { id: null, name: reference };
      return [type, { id: keepsIds ? ordered(id) : null, name: typeof name === "string" ? name : null }];
    }),
  );
}

/** Drops unconnected outputs at the end of a list or alone, which the editor leaves behind. */
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
        ? ordered({ ...group, nodeIds: group.nodeIds.map(String).sort() })
        : ordered(group),
    );
}

/**
 * Absent parts stay absent: a version of the history has no settings.
 * @param keepsIds of credentials, to compare two states of one n8n: another credential may have the same name
 */
export function toGitWorkflow(workflow: WorkflowParts, keepsIds = false): GitWorkflow {
  const { name, nodes, connections, settings, nodeGroups } = workflow;
  return {
    connections: toGitConnections(connections),
    ...(typeof name === "string" ? { name } : {}),
    ...(nodeGroups?.length ? { nodeGroups: toGitGroups(nodeGroups) } : {}),
    nodes: orderedNodes(nodes, keepsIds),
    ...(isObject(settings) ? { settings: toGitSettings(settings) } : {}),
  };
}
