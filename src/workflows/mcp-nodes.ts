/** n8n's MCP nodes: the trigger that makes a workflow a server, and the clients of other servers. Pure. */
import type { WorkflowNodeWithParameters } from "../n8n/workflow-schemas.ts";
import { isExpression, listAt, literalOf, parameterAt, textAt } from "./node-parameters.ts";
import { MCP_CLIENT, MCP_CLIENT_TOOL, MCP_REGISTRY_CLIENT_TOOL, MCP_TRIGGER } from "./node-types.ts";

/** n8n's names of MCP's transports; `sse` is the deprecated one. */
type McpTransport = "httpStreamable" | "sse";

/** Follows n8n-nodes-langchain 2.40, `nodes/mcp/McpTrigger/McpTrigger.node.ts`. */
export function toMcpTrigger(node: WorkflowNodeWithParameters) {
  if (node.type !== MCP_TRIGGER) return undefined;
  const path = literalOf(node.parameters.path)?.replace(/^\/+/, "").replace(/\/+$/, "");
  const isOld = node.typeVersion < 2;
  const transports: readonly McpTransport[] = isOld ? ["sse"] : ["httpStreamable", "sse"];
  return {
    ...accessOf(node),
    /** Below the origin; null when the path is an expression. `mcp` is n8n's default for N8N_ENDPOINT_MCP. */
    path: path === undefined ? null : `/mcp/${path}${isOld ? "/sse" : ""}`,
    transports,
  };
}

function accessOf({ name, disabled, parameters, credentials }: WorkflowNodeWithParameters) {
  return {
    node: name,
    isDisabled: disabled,
    /** `none`, `bearerAuth`, `headerAuth`, `n8nOAuth2`, or another of n8n's names. */
    authentication: textAt(parameters, "authentication") ?? "none",
    /** The types of its credentials; never which one, nor what is in it. */
    credentialTypes: Object.keys(credentials ?? {}).sort(),
  };
}

export type McpClient = NonNullable<ReturnType<typeof toMcpClient>>;

const CLIENT_TYPES = new Set([MCP_CLIENT, MCP_CLIENT_TOOL, MCP_REGISTRY_CLIENT_TOOL]);

/** Follows n8n-nodes-langchain 2.40, `nodes/mcp/McpClient` and `nodes/mcp/McpClientTool`. */
export function toMcpClient(node: WorkflowNodeWithParameters) {
  if (!CLIENT_TYPES.has(node.type)) return undefined;
  return {
    ...accessOf(node),
    nodeType: node.type,
    /** Host and path: no user, no query. Null when it is an expression or no address. */
    endpoint: hostAndPath(literalOf(node.parameters.endpointUrl ?? node.parameters.sseEndpoint)),
    transport: transportOf(node),
    ...toolChoice(node),
  };
}

/** The tools of its server that a client lets through. */
interface ToolChoice {
  /** `one`: the client is a step of the flow that calls a single tool. */
  readonly include: "all" | "selected" | "except" | "one";
  /** The selected or excepted ones, or the one; null where it is an expression. */
  readonly tools: readonly (string | null)[];
}

function toolChoice({ type, parameters }: WorkflowNodeWithParameters): ToolChoice {
  // A list that an expression computes counts as one unknown name.
  const names = (key: string): (string | null)[] =>
    isExpression(parameters[key]) ? [null] : listAt(parameters, key).map((name) => literalOf(name) ?? null);
  if (type === MCP_CLIENT)
    return { include: "one", tools: [literalOf(parameterAt(parameters, "tool", "value")) ?? null] };
  const mode = textAt(parameters, "include");
  if (mode === "except") return { include: "except", tools: names("excludeTools") };
  const selected = mode === "selected" ? names("includeTools") : [];
  // n8n lets all tools through when none is selected.
  return selected.length === 0 ? { include: "all", tools: [] } : { include: "selected", tools: selected };
}

function transportOf({ type, typeVersion, parameters }: WorkflowNodeWithParameters): McpTransport {
  const given = textAt(parameters, "serverTransport");
  if (given === "sse" || given === "httpStreamable") return given;
  return type === MCP_CLIENT_TOOL && typeVersion < 1.2 ? "sse" : "httpStreamable";
}

function hostAndPath(address: string | undefined): string | null {
  if (address === undefined || !URL.canParse(address)) return null;
  const { host, pathname } = new URL(address);
  return host + pathname;
}

/** A long part with digits and letters may be a key: some hosted servers have one in their address. */
const KEY_LIKE = /^(?=[^/]*\d)(?=[^/]*[A-Za-z])[^/]{20,}$/;

/** The endpoint without those parts of its path that may be a key. */
export function shownEndpoint(endpoint: string | null): string | null {
  if (endpoint === null) return null;
  const [host = "", ...path] = endpoint.split("/");
  return [host, ...path.map((part) => (KEY_LIKE.test(part) ? "…" : part))].join("/");
}
