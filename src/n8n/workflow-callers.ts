/**
 * Knows which nodes call sub-workflows. On the error of such a node, n8n writes the id of the called execution over
 * whatever the sub-workflow threw (n8n 1.100 to 2.40, `workflow-execute-additional-data`); on the error of any other
 * node, the id was written by someone's code. Pure.
 */
const CALLERS = /\.(?:executeWorkflow(?:Tool)?|toolWorkflow|retrieverWorkflow)$/;

/** Whether a node of this type calls sub-workflows. Code in any other node can throw an error with forged ids. */
export const callsWorkflow = (nodeType: string | undefined): boolean =>
  nodeType !== undefined && CALLERS.test(nodeType);

/** Runs of this node are calls of an MCP server. An `mcpToolCall` proves nothing, since any payload may have one. */
export const MCP_TRIGGER = "@n8n/n8n-nodes-langchain.mcpTrigger";
