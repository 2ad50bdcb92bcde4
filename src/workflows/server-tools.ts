/**
 * Lists the tools of an MCP server trigger as n8n does: the name that clients see, and the inputs. n8n allows fewer
 * characters in tool names than in node names: `tool.get_user` becomes `tool_get_user`. Pure.
 */
import { callsWorkflow } from "../n8n/workflow-callers.ts";
import type { WorkflowNodeWithParameters } from "../n8n/workflow-schemas.ts";
import { type FromAiArguments, fromAiArguments } from "./from-ai.ts";
import type { WorkflowGraph } from "./graph.ts";
import { listAt, literalOf } from "./node-parameters.ts";
import { MCP_CLIENT_TOOL, MCP_REGISTRY_CLIENT_TOOL, shortType, TOOL_WORKFLOW } from "./node-types.ts";
import { type SubWorkflowReference, subWorkflowReference } from "./sub-workflows.ts";

/** The type of the connections from tool nodes to a trigger or an agent. */
const AI_TOOL = "ai_tool";
const MAX_TOOL_NAME = 64;

export interface ServerTool extends ToolInputs {
  readonly node: string;
  readonly nodeType: string;
  /** The name that MCP clients see; null when it is an expression. */
  readonly mcpName: string | null;
  /** The node's description, such as an ATDF block; undefined when n8n writes or computes it. */
  readonly description: string | undefined;
  /** Undefined when the tool calls no workflow. */
  readonly calls: SubWorkflowReference | undefined;
}

/** The enabled nodes that serve a node as tools, including MCP clients. */
export function toolNodesOf(graph: WorkflowGraph, server: string): WorkflowNodeWithParameters[] {
  const names = new Set(graph.incoming(server, AI_TOOL).map(({ from }) => from));
  return [...names].flatMap((name) => graph.nodes.get(name) ?? []).filter(({ disabled }) => !disabled);
}

/** The tool of a node; undefined for a client of another server, which has several tools. */
export function toServerTool(node: WorkflowNodeWithParameters): ServerTool | undefined {
  if (isServerClient(node)) return undefined;
  const { parameters } = node;
  return {
    node: node.name,
    nodeType: node.type,
    mcpName: toolName(node),
    description: literalOf(parameters.description) ?? literalOf(parameters.toolDescription),
    ...toolInputs(node),
    calls: callsWorkflow(node.type) ? subWorkflowReference(node) : undefined,
  };
}

/** Whether the node exposes the tools of another MCP server, each named by {@link prefixedToolName}. */
export const isServerClient = ({ type }: Pick<WorkflowNodeWithParameters, "type">): boolean =>
  type === MCP_CLIENT_TOOL || type === MCP_REGISTRY_CLIENT_TOOL;

/** Follows n8n-workflow 2.40, `tool-helpers.ts`: nodeNameToToolName. */
export function nodeNameToToolName(nodeName: string): string {
  const name = nodeName.replace(/[^a-zA-Z0-9_-]+/g, "_");
  return name.length <= MAX_TOOL_NAME ? name : name.slice(0, MAX_TOOL_NAME).replace(/[_-]+$/, "");
}

/**
 * Tools of another MCP server have the client node's name as a prefix. Follows n8n-nodes-langchain 2.40,
 * `nodes/mcp/McpClientTool/utils.ts`: buildMcpToolName.
 */
export function prefixedToolName(clientNodeName: string, name: string): string {
  const prefix = clientNodeName.replace(/[^a-zA-Z0-9]/g, "_");
  const whole = `${prefix}_${name}`;
  if (whole.length <= MAX_TOOL_NAME) return whole;
  const room = MAX_TOOL_NAME - name.length - 1;
  return room > 0 ? `${prefix.slice(0, room)}_${name}` : name;
}

/** Until this version of a node, its tool had a fixed name or one from a parameter; since then it has the node's. */
type OldName = { readonly parameter?: string; readonly fixed?: string; readonly until: number };
const OLD_NAMES = new Map<string, OldName>([
  ["toolWorkflow", { parameter: "name", until: 2.1 }],
  ["toolCode", { parameter: "name", until: 1.1 }],
  ["toolVectorStore", { parameter: "name", until: 1 }],
  ["toolThink", { fixed: "thinking_tool", until: 1 }],
  ["toolSearXng", { fixed: "searxng-search", until: Number.POSITIVE_INFINITY }],
]);
const VECTOR_STORE_AS_TOOL: OldName = { parameter: "toolName", until: 1.2 };

/** The name of a node's single tool; null when it is an expression, which only n8n can evaluate. */
export function toolName({ name, type, typeVersion, parameters }: WorkflowNodeWithParameters): string | null {
  const short = shortType(type);
  const old = OLD_NAMES.get(short) ?? (short.startsWith("vectorStore") ? VECTOR_STORE_AS_TOOL : undefined);
  if (old === undefined || typeVersion > old.until) return nodeNameToToolName(name);
  return old.fixed ?? literalOf(parameters[old.parameter ?? ""]) ?? null;
}

interface ToolInput {
  readonly name: string;
  /** `string`, `number`, `boolean`, or `json` (an object or an array). */
  readonly type: string;
  /** False for an input with a default. */
  readonly isRequired: boolean;
  readonly description?: string;
  readonly defaultValue?: unknown;
}

interface ToolInputs {
  readonly inputs: readonly ToolInput[];
  /** Clients see inputs that the node defines in a schema, which is not read. */
  readonly hasOwnSchema: boolean;
  /** These keep n8n from building the tool. */
  readonly problems: FromAiArguments["problems"];
}

/** langchain gives this input to a tool without a schema. */
const FREE_TEXT: ToolInput = { name: "input", type: "string", isRequired: false };

/**
 * The inputs that an MCP client sees: the `inputSchema` that n8n builds from a tool node. Follows n8n-nodes-langchain
 * 2.40, `nodes/tools/ToolWorkflow/v2/utils/WorkflowToolService.ts`.
 */
export function toolInputs(node: WorkflowNodeWithParameters): ToolInputs {
  const { arguments: found, problems } = fromAiArguments(node.parameters);
  const hasOwnSchema = hasSchema(node);
  const isFreeText = WITHOUT_SCHEMA.test(node.type) && (found.length === 0 || hasNoMappedInputs(node));
  if (isFreeText) return { inputs: hasOwnSchema ? [] : [FREE_TEXT], hasOwnSchema, problems };
  const inputs = found.map(({ key, type, description, defaultValue }) => ({
    name: key,
    type,
    isRequired: defaultValue === undefined,
    ...(description === undefined || description === "" ? {} : { description }),
    ...(defaultValue === undefined ? {} : { defaultValue }),
  }));
  return { inputs, hasOwnSchema, problems };
}

/** n8n's own tool nodes, which take one text unless they are given a schema. */
const WITHOUT_SCHEMA = /^@n8n\/n8n-nodes-langchain\.(?:tool|vectorStore)/;

/** Whether the node holds a schema, or placeholders, that replace the text. Calls of workflows have none since version 2. */
const hasSchema = ({ type, typeVersion, parameters }: WorkflowNodeWithParameters): boolean =>
  (parameters.specifyInputSchema === true && !(type === TOOL_WORKFLOW && typeVersion >= 2)) ||
  listAt(parameters, "placeholderDefinitions", "values").length > 0;

/** Without mapped inputs, n8n passes the model's text on as `query`, even if there are calls of `$fromAI`. */
const hasNoMappedInputs = ({ type, parameters, typeVersion }: WorkflowNodeWithParameters): boolean =>
  type === TOOL_WORKFLOW && (typeVersion < 2 || listAt(parameters, "workflowInputs", "schema").length === 0);
