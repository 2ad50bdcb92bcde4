/**
 * Maps how the MCP servers of an instance are connected: servers, their tools, the sub-workflows behind them, the servers
 * that they use in turn, and other callers. The map is built from workflow outlines, so that an instance of any size can
 * be mapped without holding its nodes. Pure.
 */
import { closureOf } from "../platform/closure.ts";
import type { McpClient } from "./mcp-nodes.ts";
import { prefixedToolName, type ServerTool } from "./server-tools.ts";
import { cyclesOf } from "./strongly-connected.ts";
import type { ServerTrigger, WorkflowOutline } from "./workflow-outline.ts";

/** The parts of an instance's workflows that a map needs. */
export interface InstanceOutline {
  readonly workflows: ReadonlyMap<string, WorkflowOutline>;
  /** Workflows that could not be read, so that calls to them cannot be followed. */
  readonly unreadIds: ReadonlySet<string>;
  /** Whether all workflows were read; otherwise an unknown workflow may still exist. */
  readonly isComplete: boolean;
  /** True for n8n 1, which runs sub-workflows and error workflows that are not published. */
  readonly callsUnpublished?: boolean;
}

export type McpServerMap = ReturnType<typeof mapMcpServers>;
export type CalledWorkflow = ReturnType<typeof toCalled>;
export type MappedServer = ReturnType<typeof toServer>;
export type SubServer = ReturnType<typeof toSubServer>;

interface Caller {
  readonly workflowId: string;
  readonly workflowName: string;
  readonly node: string;
}

/** The calls of enabled nodes; `because` says why the called workflow is not known. */
export function enabledCalls({ calls }: Pick<WorkflowOutline, "calls">) {
  return calls.flatMap(({ node, reference: { kind, ...to }, isDisabled }) =>
    isDisabled ? [] : [{ node, workflowId: null, ...to, ...(kind === "id" ? {} : { because: kind }) }],
  );
}

/** The calls of enabled nodes that name a workflow by id. */
export function followedCalls(outline: Pick<WorkflowOutline, "calls">) {
  return enabledCalls(outline).flatMap(({ node, workflowId }) =>
    workflowId === null ? [] : [{ node, workflowId }],
  );
}

/** What calls a workflow: the enabled node, or null for n8n itself, which calls the error workflow. */
export interface WorkflowLink {
  readonly node: string | null;
  readonly by: "call" | "mcp" | "error_workflow";
  /** Null if only past runs show it. */
  readonly workflowId: string | null;
  readonly because?: string;
}

/** MCP servers outside of the instance are left out. */
export function workflowLinks(instance: InstanceOutline, outline: WorkflowOutline): WorkflowLink[] {
  const { clients, errorWorkflowId: handler } = outline;
  return [
    ...enabledCalls(outline).map((call) => ({ ...call, by: "call" as const })),
    ...clients.flatMap(({ node, endpoint, isComputed }): WorkflowLink[] => {
      const { id: workflowId } = serverAt(instance, endpoint) ?? {};
      if (workflowId === undefined)
        return isComputed ? [{ node, by: "mcp", workflowId: null, because: "expression" }] : [];
      return [{ node, by: "mcp", workflowId }];
    }),
    ...(handler === undefined ? [] : [{ node: null, by: "error_workflow" as const, workflowId: handler }]),
  ];
}

/** @param calls none if the caller itself is unknown */
const calledIds = (calls: WorkflowOutline["calls"] = []): string[] =>
  followedCalls({ calls }).map(({ workflowId }) => workflowId);

/** Groups of workflows whose calls lead back to them. A call that only another trigger makes does not. */
export const callCycles = ({ workflows }: InstanceOutline, ids: Iterable<string>): string[][] =>
  cyclesOf(ids, (id) => calledIds(workflows.get(id)?.onwardCalls));

export function mapMcpServers(instance: InstanceOutline, roots: readonly WorkflowOutline[]) {
  const callers = callersIn(instance);
  const calledBy = (id: string): string[] => calledIds(instance.workflows.get(id)?.calls);
  const ids = closureOf(
    roots.flatMap(({ id }) => calledBy(id)),
    calledBy,
  );
  /** Every workflow that a server calls, directly or indirectly, by id. */
  const called = new Map([...ids].map((id) => [id, toCalled(instance, id, callers.get(id) ?? [])]));
  return {
    servers: roots.map((outline) => toServer(instance, outline)),
    called,
    cycles: callCycles(instance, [...roots.map(({ id }) => id), ...ids]),
  };
}

function callersIn({ workflows }: InstanceOutline): ReadonlyMap<string, readonly Caller[]> {
  const callers = [...workflows.values()].flatMap((outline) =>
    followedCalls(outline).map(({ node, workflowId: called }) => ({
      called,
      workflowId: outline.id,
      workflowName: outline.name,
      node,
    })),
  );
  return Map.groupBy(callers, ({ called }) => called);
}

/** Whether a workflow is unknown, but may exist. */
export const isUnread = ({ workflows, unreadIds, isComplete }: InstanceOutline, id: string): boolean =>
  !workflows.has(id) && (unreadIds.has(id) || !isComplete);

function toCalled(instance: InstanceOutline, workflowId: string, calledBy: readonly Caller[]) {
  /** Undefined when it is missing or unread. */
  const outline = instance.workflows.get(workflowId);
  return { workflowId, state: stateOf(instance, workflowId, outline), outline, calledBy };
}

/** `unread`: it exists or may exist, but was too large, had an unknown shape, or was not reached in time. */
function stateOf(instance: InstanceOutline, id: string, outline: WorkflowOutline | undefined) {
  if (outline === undefined) return isUnread(instance, id) ? "unread" : "missing";
  if (outline.isArchived) return "archived";
  if (outline.isPublished) return "published";
  return instance.callsUnpublished ? "inactive" : "draft";
}

/** The server alone, without what it calls. */
export function toServer(instance: InstanceOutline, outline: WorkflowOutline) {
  const subServers = outline.clients.map((client) => toSubServer(instance, client));
  const namesAt = ({ toolNodes }: ServerTrigger): string[] =>
    [
      ...outline.tools.filter(({ node }) => toolNodes.includes(node)),
      ...subServers.flatMap(({ client, tools }) => (toolNodes.includes(client.node) ? (tools ?? []) : [])),
    ].flatMap(({ mcpName }) => mcpName ?? []);
  return {
    outline,
    subServers,
    /** MCP names that several of its tools share: n8n then answers no request at all. */
    collisions: outline.triggers.flatMap((trigger) => repeated(namesAt(trigger))),
  };
}

const repeated = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
];

function toSubServer(instance: InstanceOutline, client: McpClient) {
  const other = serverAt(instance, client.endpoint);
  return {
    client,
    /** The workflow of this instance that serves the endpoint's path. The host is not compared. */
    workflowId: other?.id,
    /** Undefined when only the other server knows them. */
    tools: relayedTools(client, other?.tools),
  };
}

/**
 * Compares only the path, because the host names of n8n are not known. Only one of the workflows with the same path can
 * be published.
 */
function serverAt({ workflows }: InstanceOutline, endpoint: string | null): WorkflowOutline | undefined {
  if (endpoint === null) return undefined;
  const path = endpoint.slice(endpoint.indexOf("/")).replace(/\/+$/, "");
  const answering = [...workflows.values()].filter(({ triggers }) =>
    triggers.some((trigger) => trigger.path !== null && path.endsWith(trigger.path)),
  );
  return answering.find(({ isPublished }) => isPublished) ?? answering[0];
}

function relayedTools({ node, include, tools }: McpClient, offered: readonly ServerTool[] | undefined) {
  const toRelayed = (name: string | null, tool: ServerTool | undefined) => ({
    /** Null when its name on the other server is an expression. */
    mcpName: name === null || include === "one" ? name : prefixedToolName(node, name),
    /** The tool itself, when the other server is a workflow of this instance. */
    tool,
  });
  const isAllowed = ({ mcpName }: ServerTool): boolean => include !== "except" || !tools.includes(mcpName);
  if (include === "all" || include === "except")
    return offered?.filter(isAllowed).map((tool) => toRelayed(tool.mcpName, tool));
  return tools.map((name) =>
    toRelayed(
      name,
      offered?.find(({ mcpName }) => mcpName === name),
    ),
  );
}
