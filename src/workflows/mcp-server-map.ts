/**
 * Maps how the MCP servers of an instance are connected: servers, their tools, the sub-workflows behind them, the
 * servers that they use in turn, and who else calls what. The map is made of outlines, one for each workflow, so
 * that an instance of any size can be mapped without holding its nodes. Pure.
 */
import type { McpClient } from "./mcp-nodes.ts";
import type { ServerTool } from "./server-tools.ts";
import { cyclesOf } from "./strongly-connected.ts";
import type { SubWorkflowCall } from "./sub-workflow-calls.ts";
import { prefixedToolName } from "./tool-names.ts";
import type { ServerTrigger, WorkflowOutline } from "./workflow-outline.ts";

/** The workflows of an instance, as far as a map needs them. */
export interface InstanceOutline {
  readonly workflows: ReadonlyMap<string, WorkflowOutline>;
  /** Workflows that could not be read: nothing more is known of a call to one of them. */
  readonly unreadIds: ReadonlySet<string>;
  /** Whether all workflows were read: else one that is not known may be there. */
  readonly isComplete: boolean;
}

/** A workflow that is called, as the map shows it. */
export interface CalledWorkflow {
  readonly workflowId: string;
  /** `unread`: it is there, or may be, and was too large, too strange or too late to be read. */
  readonly state: "published" | "draft" | "archived" | "missing" | "unread";
  /** Undefined when it is missing or unread. */
  readonly outline: WorkflowOutline | undefined;
  readonly calledBy: readonly Caller[];
}

export interface Caller {
  readonly workflowId: string;
  readonly workflowName: string;
  readonly node: string;
}

/** A tool of another server, as this server's clients see it. */
export interface RelayedTool {
  /** Null when the other server's name of it is an expression. */
  readonly mcpName: string | null;
  /** The tool itself, when the other server is a workflow of this instance. */
  readonly tool: ServerTool | undefined;
}

export interface SubServer {
  readonly client: McpClient;
  /** The workflow of this instance that answers at the endpoint's path. Its host is not looked at. */
  readonly workflowId: string | undefined;
  /** Undefined when the other server alone knows. */
  readonly tools: readonly RelayedTool[] | undefined;
}

export interface MappedServer {
  readonly outline: WorkflowOutline;
  readonly subServers: readonly SubServer[];
  /** MCP names that more than one of its tools has: n8n then answers no request at all. */
  readonly collisions: readonly string[];
}

export interface McpServerMap {
  readonly servers: readonly MappedServer[];
  /** Every workflow that one of the servers calls, directly or not, by id. */
  readonly called: ReadonlyMap<string, CalledWorkflow>;
  /** Workflows that call each other in a circle, by id. */
  readonly cycles: readonly (readonly string[])[];
}

/** The calls of enabled nodes whose workflow is given by its id. */
export function followedCalls(
  outline: WorkflowOutline,
): readonly { readonly call: SubWorkflowCall; readonly workflowId: string }[] {
  return outline.calls.flatMap((call) =>
    call.reference.kind === "id" && !call.isDisabled ? [{ call, workflowId: call.reference.workflowId }] : [],
  );
}

export function mapMcpServers(instance: InstanceOutline, roots: readonly WorkflowOutline[]): McpServerMap {
  const callers = callersIn(instance);
  const called = new Map<string, CalledWorkflow>();
  const follow = (outline: WorkflowOutline): void => {
    const waiting = [outline];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const { workflowId } of followedCalls(next)) {
        if (called.has(workflowId)) continue;
        const found = toCalled(instance, workflowId, callers.get(workflowId) ?? []);
        called.set(workflowId, found);
        if (found.outline !== undefined) waiting.push(found.outline);
      }
    }
  };
  for (const root of roots) follow(root);
  return {
    servers: roots.map((outline) => toServer(instance, outline)),
    called,
    cycles: cyclesOf([...roots.map(({ id }) => id), ...called.keys()], (id) => calledIds(instance, id)),
  };
}

/** The workflows that a workflow calls, by id; none when it is not known itself. */
export function calledIds({ workflows }: InstanceOutline, id: string): string[] {
  const outline = workflows.get(id);
  return outline === undefined ? [] : followedCalls(outline).map(({ workflowId }) => workflowId);
}

/** Id of a workflow → those who call it. */
function callersIn({ workflows }: InstanceOutline) {
  const calls = [...workflows.values()].flatMap((outline) =>
    followedCalls(outline).map(({ call, workflowId }) => ({
      called: workflowId,
      workflowId: outline.id,
      workflowName: outline.name,
      node: call.node,
    })),
  );
  return Map.groupBy(calls, ({ called }) => called);
}

/** Whether nothing is known of a workflow that may be there all the same. */
export function isUnread({ workflows, unreadIds, isComplete }: InstanceOutline, id: string): boolean {
  return !workflows.has(id) && (unreadIds.has(id) || !isComplete);
}

function toCalled(
  instance: InstanceOutline,
  workflowId: string,
  calledBy: readonly Caller[],
): CalledWorkflow {
  const outline = instance.workflows.get(workflowId);
  if (outline === undefined)
    return { workflowId, state: isUnread(instance, workflowId) ? "unread" : "missing", outline, calledBy };
  const state = outline.isArchived ? "archived" : outline.isPublished ? "published" : "draft";
  return { workflowId, state, outline, calledBy };
}

/** The server alone, without what it calls. */
export function toServer(instance: InstanceOutline, outline: WorkflowOutline): MappedServer {
  const subServers = outline.clients.map((client) => toSubServer(instance, client));
  const namesAt = ({ toolNodes }: ServerTrigger): string[] =>
    [
      ...outline.tools.filter(({ node }) => toolNodes.includes(node)).map(({ mcpName }) => mcpName),
      ...subServers
        .filter(({ client }) => toolNodes.includes(client.node))
        .flatMap(({ tools }) => (tools ?? []).map(({ mcpName }) => mcpName)),
    ].filter((name) => name !== null);
  return {
    outline,
    subServers,
    collisions: outline.triggers.flatMap((trigger) => repeated(namesAt(trigger))),
  };
}

function toSubServer(instance: InstanceOutline, client: McpClient): SubServer {
  const other = serverAt(instance, client.endpoint);
  return { client, workflowId: other?.id, tools: relayedTools(client, other) };
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
  client: McpClient,
  server: WorkflowOutline | undefined,
): readonly RelayedTool[] | undefined {
  const offered = server?.tools;
  const toRelayed = (name: string | null, tool: ServerTool | undefined): RelayedTool => ({
    mcpName: name === null ? null : client.include === "one" ? name : prefixedToolName(client.node, name),
    tool,
  });
  if (client.include === "selected" || client.include === "one") {
    return client.tools.map((name) =>
      toRelayed(
        name,
        offered?.find(({ mcpName }) => mcpName === name),
      ),
    );
  }
  const excepted = new Set(client.include === "except" ? client.tools : []);
  return offered
    ?.filter(({ mcpName }) => !excepted.has(mcpName))
    .map((tool) => toRelayed(tool.mcpName, tool));
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
