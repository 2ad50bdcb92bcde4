/** n8n's MCP nodes: the trigger that makes a workflow a server, and the clients of other servers. Pure. */
import type { WorkflowNodeWithParameters } from "../n8n/workflow-schemas.ts";
import { isExpression, literalOf } from "./expressions.ts";
import { listAt, parameterAt, textAt } from "./node-parameters.ts";
import { MCP_CLIENT, MCP_CLIENT_TOOL, MCP_REGISTRY_CLIENT_TOOL, MCP_TRIGGER } from "./node-types.ts";

/** n8n's names of MCP's transports; `sse` is the deprecated one. */
export type McpTransport = "httpStreamable" | "sse";

export interface McpTrigger {
  readonly node: string;
  readonly isDisabled: boolean;
  /** Below the origin; null when the path is an expression. `mcp` is n8n's default for N8N_ENDPOINT_MCP. */
  readonly path: string | null;
  /** `none`, `bearerAuth`, `headerAuth` or `n8nOAuth2`. */
  readonly authentication: string;
  readonly transports: readonly McpTransport[];
  readonly credentialTypes: readonly string[];
}

/** Follows n8n-nodes-langchain 2.40, `nodes/mcp/McpTrigger/McpTrigger.node.ts`. */
export function toMcpTrigger(node: WorkflowNodeWithParameters): McpTrigger | undefined {
  if (node.type !== MCP_TRIGGER) return undefined;
  const path = literalOf(node.parameters.path);
  const isOld = node.typeVersion < 2;
  return {
    node: node.name,
    isDisabled: node.disabled,
    path:
      path === undefined
        ? null
        : `/mcp/${path.replace(/^\/+/, "").replace(/\/+$/, "")}${isOld ? "/sse" : ""}`,
    authentication: textAt(node.parameters, "authentication") ?? "none",
    transports: isOld ? ["sse"] : ["httpStreamable", "sse"],
    credentialTypes: credentialTypesOf(node),
  };
}

export interface McpClient {
  readonly node: string;
  readonly nodeType: string;
  readonly isDisabled: boolean;
  /** Host and path: no user, no query. Null when it is an expression or no address. */
  readonly endpoint: string | null;
  readonly transport: McpTransport;
  readonly authentication: string;
  readonly credentialTypes: readonly string[];
  /** Which of the server's tools it lets through. `one`: it is a step of the flow that calls a single tool. */
  readonly include: "all" | "selected" | "except" | "one";
  /** The selected or excepted ones, or the one; null where it is an expression. */
  readonly tools: readonly (string | null)[];
}

const CLIENT_TYPES = new Set([MCP_CLIENT, MCP_CLIENT_TOOL, MCP_REGISTRY_CLIENT_TOOL]);

/** Follows n8n-nodes-langchain 2.40, `nodes/mcp/McpClient` and `nodes/mcp/McpClientTool`. */
export function toMcpClient(node: WorkflowNodeWithParameters): McpClient | undefined {
  if (!CLIENT_TYPES.has(node.type)) return undefined;
  return {
    node: node.name,
    nodeType: node.type,
    isDisabled: node.disabled,
    endpoint: hostAndPath(literalOf(node.parameters.endpointUrl ?? node.parameters.sseEndpoint)),
    transport: transportOf(node),
    authentication: textAt(node.parameters, "authentication") ?? "none",
    credentialTypes: credentialTypesOf(node),
    ...toolChoice(node),
  };
}

function toolChoice(node: WorkflowNodeWithParameters): Pick<McpClient, "include" | "tools"> {
  const { parameters } = node;
  // A list that an expression computes counts as one unknown name.
  const names = (key: string): (string | null)[] =>
    isExpression(parameters[key]) ? [null] : listAt(parameters, key).map((name) => literalOf(name) ?? null);
  if (node.type === MCP_CLIENT) {
    return { include: "one", tools: [literalOf(parameterAt(parameters, "tool", "value")) ?? null] };
  }
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

/** Which kinds of credentials it uses; never which one, nor what is in it. */
function credentialTypesOf({ credentials }: WorkflowNodeWithParameters): string[] {
  return Object.keys(credentials ?? {}).sort();
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
