/**
 * Infers facts about a node from the name of its type, because n8n's public API does not include its descriptions of node
 * types. Pure.
 */
import type { WorkflowNodeWithParameters } from "../n8n/workflow-schemas.ts";

export const MCP_CLIENT = "@n8n/n8n-nodes-langchain.mcpClient";
export const MCP_CLIENT_TOOL = "@n8n/n8n-nodes-langchain.mcpClientTool";
export const MCP_REGISTRY_CLIENT_TOOL = "@n8n/n8n-nodes-langchain.mcpRegistryClientTool";
export const TOOL_WORKFLOW = "@n8n/n8n-nodes-langchain.toolWorkflow";
export const EXECUTE_WORKFLOW = "n8n-nodes-base.executeWorkflow";
export const EXECUTE_WORKFLOW_TRIGGER = "n8n-nodes-base.executeWorkflowTrigger";
export const ERROR_TRIGGER = "n8n-nodes-base.errorTrigger";

/** n8n's triggers whose type does not end with `Trigger`. */
const OTHER_TRIGGERS = new Set(["webhook", "start", "cron", "interval", "emailReadImap"]);

/** The type without its package: `httpRequest` of `n8n-nodes-base.httpRequest`. */
export const shortType = (type: string): string => type.slice(type.lastIndexOf(".") + 1);

/** Whether an execution can begin at a node of this type. */
export function isTriggerType(type: string): boolean {
  const short = shortType(type);
  return short.endsWith("Trigger") || OTHER_TRIGGERS.has(short);
}

export const isStickyNote = ({ type }: Pick<WorkflowNodeWithParameters, "type">): boolean =>
  type === "n8n-nodes-base.stickyNote";
