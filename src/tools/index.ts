/** The feature list: every tool there is, in the order in which an agent should meet them. */
import type { Tool } from "../mcp/define-tool.ts";
import { auditWorkflow } from "./audit-workflow.ts";
import { checkConnection } from "./check-connection.ts";
import { checkToolContract } from "./check-tool-contract.ts";
import { diffWorkflow } from "./diff-workflow.ts";
import { getExecution } from "./get-execution.ts";
import { getExecutionByNode } from "./get-execution-by-node.ts";
import { getExecutionDetails } from "./get-execution-details.ts";
import { getWorkflow } from "./get-workflow.ts";
import { getWorkflowExecutions } from "./get-workflow-executions.ts";
import { listWorkflows } from "./list-workflows.ts";
import { mapMcpServer } from "./map-mcp-server.ts";
import { searchExecutions } from "./search-executions.ts";
import type { ToolContext } from "./tool-context.ts";
import { traceRequest } from "./trace-request.ts";
import { validateAtdf } from "./validate-atdf.ts";

export const TOOLS: readonly Tool<ToolContext>[] = [
  traceRequest,
  searchExecutions,
  getExecution,
  getExecutionByNode,
  getExecutionDetails,
  getWorkflowExecutions,
  listWorkflows,
  mapMcpServer,
  auditWorkflow,
  checkToolContract,
  getWorkflow,
  diffWorkflow,
  validateAtdf,
  checkConnection,
];
