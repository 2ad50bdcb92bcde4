/**
 * Knows which nodes call sub-workflows, and which workflow n8n calls after a failure. On the error of a calling node, n8n
 * writes the id of the called execution over whatever the sub-workflow threw (n8n 1.100 to 2.40,
 * `workflow-execute-additional-data`); on the error of any other node, the id was written by someone's code. Pure.
 */
const CALLERS: ReadonlySet<string | undefined> = new Set([
  "n8n-nodes-base.executeWorkflow",
  // Any ordinary node can serve an agent as a tool; n8n then appends `Tool` to its type.
  "n8n-nodes-base.executeWorkflowTool",
  "@n8n/n8n-nodes-langchain.toolWorkflow",
  "@n8n/n8n-nodes-langchain.retrieverWorkflow",
]);

/** Whether a node of this type calls sub-workflows. Code in any other node can throw an error with forged ids. */
export const callsWorkflow = (nodeType: string | undefined): boolean => CALLERS.has(nodeType);

/** Runs of this node are calls of an MCP server. An `mcpToolCall` proves nothing, since any payload may have one. */
export const MCP_TRIGGER = "@n8n/n8n-nodes-langchain.mcpTrigger";

/** The error workflow that settings name: n8n's editor has written `DEFAULT` for none, and an expression is no id. */
export const errorWorkflowIn = (errorWorkflow: unknown): string | undefined =>
  typeof errorWorkflow === "string" &&
  errorWorkflow !== "DEFAULT" &&
  /^[A-Za-z0-9_-]{1,64}$/.test(errorWorkflow)
    ? errorWorkflow
    : undefined;
