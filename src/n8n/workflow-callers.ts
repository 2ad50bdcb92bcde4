/**
 * Which nodes call sub-workflows. n8n writes the id of the called execution on the error of such a node, over whatever
 * the sub-workflow threw (n8n 1.100 to 2.40, `workflow-execute-additional-data`); on that of any other node it is what
 * someone's code wrote there. Pure.
 */
const CALLERS = /\.(?:executeWorkflow(?:Tool)?|toolWorkflow|retrieverWorkflow)$/;

/** Whether a node of this type calls sub-workflows. Code in any other node can throw an error with forged ids. */
export const callsWorkflow = (nodeType: string | undefined): boolean =>
  nodeType !== undefined && CALLERS.test(nodeType);

/** Its runs are calls of an MCP server. Any payload may have an `mcpToolCall`. */
export const MCP_TRIGGER = "@n8n/n8n-nodes-langchain.mcpTrigger";
