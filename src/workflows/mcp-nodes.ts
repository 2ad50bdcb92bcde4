/** Reads n8n's MCP nodes: triggers, which make a workflow a server, and clients of other servers. Pure. */
import { memberOf, textAt } from "../json/members.ts";
import { MCP_TRIGGER } from "../n8n/workflow-callers.ts";
import type { WorkflowNodeWithParameters } from "../n8n/workflow-schemas.ts";
import { isExpression, listAt, literalOf } from "./node-parameters.ts";
import { MCP_CLIENT, MCP_CLIENT_TOOL, MCP_REGISTRY_CLIENT_TOOL } from "./node-types.ts";

/** n8n's names of MCP's transports; `sse` is deprecated. */
type McpTransport = "httpStreamable" | "sse";

/** Follows n8n-nodes-langchain 2.40, `nodes/mcp/McpTrigger/McpTrigger.node.ts`. */
export function toMcpTrigger(node: WorkflowNodeWithParameters) {
  if (node.type !== MCP_TRIGGER) return undefined;
  const path = literalOf(node.parameters.path)?.replace(/^\/+/, "").replace(/\/+$/, "");
  const isOld = node.typeVersion < 2;
  const transports: readonly McpTransport[] = isOld ? ["sse"] : ["httpStreamable", "sse"];
  return {
    ...accessOf(node),
    /** Relative to the origin; null when the path is an expression. `mcp` is n8n's default for N8N_ENDPOINT_MCP. */
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
    /** Only the types of its credentials, never their names or contents. */
    credentialTypes: Object.keys(credentials ?? {}).sort(),
  };
}

export type McpClient = NonNullable<ReturnType<typeof toMcpClient>>;

const CLIENT_TYPES = new Set([MCP_CLIENT, MCP_CLIENT_TOOL, MCP_REGISTRY_CLIENT_TOOL]);

/** Follows n8n-nodes-langchain 2.40, `nodes/mcp/McpClient` and `nodes/mcp/McpClientTool`. */
export function toMcpClient(node: WorkflowNodeWithParameters) {
  if (!CLIENT_TYPES.has(node.type)) return undefined;
  const address = node.parameters.endpointUrl ?? node.parameters.sseEndpoint;
  return {
    ...accessOf(node),
    nodeType: node.type,
    /** Host and path, without user and query. Null for an expression, an invalid address, or one that n8n's registry has. */
    endpoint: hostAndPath(literalOf(address)),
    isComputed: isExpression(address),
    transport: transportOf(node),
    ...toolChoice(node),
  };
}

/** The tools of its server that a client exposes. */
interface ToolChoice {
  /** `one`: the client is a step of the flow that calls a single tool. */
  readonly include: "all" | "selected" | "except" | "one";
  /** The selected or excluded tools, or the single one; null for an expression. */
  readonly tools: readonly (string | null)[];
}

function toolChoice({ type, parameters }: WorkflowNodeWithParameters): ToolChoice {
  // An expression for the whole list counts as one unknown name.
  const names = (key: string): (string | null)[] =>
    isExpression(parameters[key]) ? [null] : listAt(parameters, key).map((name) => literalOf(name) ?? null);
  if (type === MCP_CLIENT)
    return { include: "one", tools: [literalOf(memberOf(parameters, "tool", "value")) ?? null] };
  const mode = textAt(parameters, "include");
  if (mode === "except") return { include: "except", tools: names("excludeTools") };
  const selected = mode === "selected" ? names("includeTools") : [];
  // If no tool is selected, n8n exposes all.
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

/** A long path segment with digits and letters may be a key: some hosted servers have one in their address. */
const KEY_LIKE = /^(?=[^/]*\d)(?=[^/]*[A-Za-z])[^/]{20,}$/;

/** The endpoint without path segments that may be a key. */
export function shownEndpoint(endpoint: string | null): string | null {
  if (endpoint === null) return null;
  const [host = "", ...path] = endpoint.split("/");
  return [host, ...path.map((part) => (KEY_LIKE.test(part) ? "…" : part))].join("/");
}
