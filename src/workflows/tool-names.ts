/**
 * Computes the name under which a model or an MCP client sees a tool node. n8n allows fewer characters in it than
 * in the name of a node: `tool.get_user` becomes `tool_get_user`. Pure.
 */
import type { WorkflowNodeWithParameters } from "../n8n/workflow-schemas.ts";
import { literalOf } from "./expressions.ts";
import { MCP_CLIENT_TOOL, MCP_REGISTRY_CLIENT_TOOL, shortType } from "./node-types.ts";

const MAX_TOOL_NAME = 64;

/** Follows n8n-workflow 2.40, `tool-helpers.ts`: nodeNameToToolName. */
export function nodeNameToToolName(nodeName: string): string {
  const name = nodeName.replace(/[^a-zA-Z0-9_-]+/g, "_");
  return name.length <= MAX_TOOL_NAME ? name : name.slice(0, MAX_TOOL_NAME).replace(/[_-]+$/, "");
}

/**
 * Tools of another MCP server carry the client node's name before their own. Follows
 * n8n-nodes-langchain 2.40, `nodes/mcp/McpClientTool/utils.ts`: buildMcpToolName.
 */
export function prefixedToolName(clientNodeName: string, toolName: string): string {
  const prefix = clientNodeName.replace(/[^a-zA-Z0-9]/g, "_");
  const whole = `${prefix}_${toolName}`;
  if (whole.length <= MAX_TOOL_NAME) return whole;
  const room = MAX_TOOL_NAME - toolName.length - 1;
  return room > 0 ? `${prefix.slice(0, room)}_${toolName}` : toolName;
}

export type ToolNaming =
  /** Null when only n8n can tell, since the name is an expression. */
  | { readonly kind: "one"; readonly name: string | null }
  /** Several, with {@link prefixedToolName}: those of another MCP server. */
  | { readonly kind: "many" };

/** The parameter that held the name, and the last version of the node that read it; later ones go by the node's name. */
const NAME_PARAMETERS: Readonly<Record<string, { readonly parameter: string; readonly until: number }>> = {
  toolWorkflow: { parameter: "name", until: 2.1 },
  toolCode: { parameter: "name", until: 1.1 },
  toolVectorStore: { parameter: "name", until: 1 },
};
/** Vector stores that are used as a tool. */
const VECTOR_STORE_NAME = { parameter: "toolName", until: 1.2 };

/** Names that are fixed whatever the node is called. */
const FIXED_NAMES: Readonly<Record<string, { readonly name: string; readonly until: number }>> = {
  toolThink: { name: "thinking_tool", until: 1 },
  toolSearXng: { name: "searxng-search", until: Number.POSITIVE_INFINITY },
};

export function toolNaming(node: WorkflowNodeWithParameters): ToolNaming {
  if (node.type === MCP_CLIENT_TOOL || node.type === MCP_REGISTRY_CLIENT_TOOL) return { kind: "many" };
  const short = shortType(node.type);
  const fixed = Object.hasOwn(FIXED_NAMES, short) ? FIXED_NAMES[short] : undefined;
  if (fixed !== undefined && node.typeVersion <= fixed.until) return { kind: "one", name: fixed.name };
  const given = Object.hasOwn(NAME_PARAMETERS, short)
    ? NAME_PARAMETERS[short]
    : short.startsWith("vectorStore")
      ? VECTOR_STORE_NAME
      : undefined;
  if (given === undefined || node.typeVersion > given.until) {
    return { kind: "one", name: nodeNameToToolName(node.name) };
  }
  return { kind: "one", name: literalOf(node.parameters[given.parameter]) ?? null };
}
