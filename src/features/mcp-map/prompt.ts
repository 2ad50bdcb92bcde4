import { definePrompt } from "../../mcp/define-prompt.ts";

export const reviewMcpServer = definePrompt({
  name: "review_mcp_server",
  title: "Review this MCP server",
  description: "How an MCP server built in n8n is made, and what its tools answered lately.",
  arguments: {
    workflow: { description: "Name of the workflow with the MCP trigger" },
  },
  text: ({ workflow }) =>
    [
      `Review the MCP server that the n8n workflow ${workflow} is.`,
      `Begin with map_mcp_server({"workflowName":${workflow}}): its tools and the workflows behind them.`,
      "Then audit_workflow, which judges how they are built, and check_tool_contract, which judges what the tools answered.",
      "Answer with what is exposed, the worst findings first with their fix, and what could not be judged.",
    ].join("\n"),
});
