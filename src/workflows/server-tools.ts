/** The tools that a workflow gives to its MCP server trigger, as n8n lists them. Pure. */
import type { WorkflowNodeWithParameters } from "../n8n/workflow-schemas.ts";
import { literalOf } from "./expressions.ts";
import type { WorkflowGraph } from "./graph.ts";
import { callsWorkflow, type SubWorkflowReference, subWorkflowReference } from "./sub-workflow-calls.ts";
import { type ToolInputs, toolInputs } from "./tool-inputs.ts";
import { toolNaming } from "./tool-names.ts";

/** The type of the connections from tool nodes to a trigger or an agent. */
const AI_TOOL = "ai_tool";

export interface ServerTool {
  readonly node: string;
  readonly nodeType: string;
  /** The name that MCP clients see; null when it is an expression. */
  readonly mcpName: string | null;
  /** The node's description, such as an ATDF block; undefined when n8n writes or computes it. */
  readonly description: string | undefined;
  readonly inputs: ToolInputs["inputs"];
  readonly problems: ToolInputs["problems"];
  /** Undefined when the tool calls no workflow. */
  readonly calls: SubWorkflowReference | undefined;
}

/** The enabled nodes that serve a node as tools, those of MCP clients among them. */
export function toolNodesOf(graph: WorkflowGraph, server: string): WorkflowNodeWithParameters[] {
  const names = new Set(graph.incoming(server, AI_TOOL).map(({ from }) => from));
  return [...names].flatMap((name) => {
    const node = graph.nodes.get(name);
    return node === undefined || node.disabled ? [] : [node];
  });
}

/** The tool that a node is; undefined for a client of another server, which has several. */
export function toServerTool(node: WorkflowNodeWithParameters): ServerTool | undefined {
  const naming = toolNaming(node);
  if (naming.kind === "many") return undefined;
  const { parameters } = node;
  return {
    node: node.name,
    nodeType: node.type,
    mcpName: naming.name,
    description: literalOf(parameters.description) ?? literalOf(parameters.toolDescription),
    ...toolInputs(node),
    calls: callsWorkflow(node) ? subWorkflowReference(node) : undefined,
  };
}
