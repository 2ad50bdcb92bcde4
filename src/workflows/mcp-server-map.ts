/**
 * Maps how the MCP servers of an instance are connected: servers, their tools, the sub-workflows behind them, the
 * servers that they use in turn, and who else calls what. The map is made of outlines, one for each workflow, so
 * that an instance of any size can be mapped without holding its nodes. Pure.
 */
import type { McpClient } from "./mcp-nodes.ts";
import { prefixedToolName, type ServerTool } from "./server-tools.ts";
import { cyclesOf } from "./strongly-connected.ts";
import type { ServerTrigger, WorkflowOutline } from "./workflow-outline.ts";

/** The workflows of an instance, as far as a map needs them. */
export interface InstanceOutline {
  readonly workflows: ReadonlyMap<string, WorkflowOutline>;
  /** Workflows that could not be read: nothing more is known of a call to one of them. */
  readonly unreadIds: ReadonlySet<string>;
  /** Whether all workflows were read: else one that is not known may be there. */
  readonly isComplete: boolean;
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

/** A tool of another server, as this server's clients see it. */
interface RelayedTool {
  /** Null when the other server's name of it is an expression. */
  readonly mcpName: string | null;
  /** The tool itself, when the other server is a workflow of this instance. */
  readonly tool: ServerTool | undefined;
}

/** The calls of enabled nodes whose workflow is given by its id. */
export function followedCalls({ calls }: WorkflowOutline) {
  return calls.flatMap(({ node, reference, isDisabled }) =>
    reference.kind === "id" && !isDisabled ? [{ node, workflowId: reference.workflowId }] : [],
  );
}

/** The workflows that a workflow calls, by id; none when it is not known itself. */
export function calledIds({ workflows }: InstanceOutline, id: string): string[] {
  const outline = workflows.get(id);
  return outline === undefined ? [] : followedCalls(outline).map(({ workflowId }) => workflowId);
}

export function mapMcpServers(instance: InstanceOutline, roots: readonly WorkflowOutline[]) {
  const callers = callersIn(instance);
  /** Every workflow that one of the servers calls, directly or not, by id. */
  const called = new Map<string, CalledWorkflow>();
  for (const root of roots) {
    const waiting = [root.id];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const workflowId of calledIds(instance, next)) {
        if (called.has(workflowId)) continue;
        called.set(workflowId, toCalled(instance, workflowId, callers.get(workflowId) ?? []));
        waiting.push(workflowId);
      }
    }
  }
  return {
    servers: roots.map((outline) => toServer(instance, outline)),
    called,
    cycles: cyclesOf([...roots.map(({ id }) => id), ...called.keys()], (id) => calledIds(instance, id)),
  };
}

/** Id of a workflow → those who call it. */
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

/** Whether nothing is known of a workflow that may be there all the same. */
export function isUnread({ workflows, unreadIds, isComplete }: InstanceOutline, id: string): boolean {
  return !workflows.has(id) && (unreadIds.has(id) || !isComplete);
}

function toCalled(instance: InstanceOutline, workflowId: string, calledBy: readonly Caller[]) {
  /** Undefined when it is missing or unread. */
  const outline = instance.workflows.get(workflowId);
  return { workflowId, state: stateOf(instance, workflowId, outline), outline, calledBy };
}

/** `unread`: it is there, or may be, and was too large, too strange or too late to be read. */
function stateOf(
  instance: InstanceOutline,
  id: string,
  outline: WorkflowOutline | undefined,
): "published" | "draft" | "archived" | "missing" | "unread" {
  if (outline === undefined) return isUnread(instance, id) ? "unread" : "missing";
  if (outline.isArchived) return "archived";
  return outline.isPublished ? "published" : "draft";
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
    /** MCP names that more than one of its tools has: n8n then answers no request at all. */
    collisions: outline.triggers.flatMap((trigger) => repeated(namesAt(trigger))),
  };
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

function toSubServer(instance: InstanceOutline, client: McpClient) {
  const other = serverAt(instance, client.endpoint);
  return {
    client,
    /** The workflow of this instance that answers at the endpoint's path. Its host is not looked at. */
    workflowId: other?.id,
    /** Undefined when the other server alone knows. */
    tools: relayedTools(client, other?.tools),
  };
}

/**
 * Compares the path alone, because the names under which n8n can be reached are not known. Only one of the
 * workflows with the same path can be published.
 */
function serverAt({ workflows }: InstanceOutline, endpoint: string | null): WorkflowOutline | undefined {
  if (endpoint === null) return undefined;
  const path = endpoint.slice(endpoint.indexOf("/")).replace(/\/+$/, "");
  const answering = [...workflows.values()].filter(({ triggers }) =>
    triggers.some((trigger) => trigger.path !== null && path.endsWith(trigger.path)),
  );
  return answering.find(({ isPublished }) => isPublished) ?? answering[0];
}

function relayedTools(
  { node, include, tools }: McpClient,
  offered: readonly ServerTool[] | undefined,
): RelayedTool[] | undefined {
  const toRelayed = (name: string | null, tool: ServerTool | undefined): RelayedTool => ({
    mcpName: name === null || include === "one" ? name : prefixedToolName(node, name),
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
