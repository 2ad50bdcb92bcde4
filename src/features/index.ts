/** The feature list: every tool there is, in the order in which an agent should meet them. */
import type { Tool } from "../mcp/define-tool.ts";
import { validateAtdf } from "./atdf/validate-atdf.ts";
import { checkConnection } from "./check-connection/check-connection.ts";
import { getExecution } from "./executions/get-execution.ts";
import { getExecutionByNode } from "./executions/get-execution-by-node.ts";
import { getExecutionDetails } from "./executions/get-execution-details.ts";
import { getWorkflowExecutions } from "./executions/get-workflow-executions.ts";
import { auditWorkflow } from "./lint-workflow/audit-workflow.ts";
import { mapMcpServer } from "./mcp-map/map-mcp-server.ts";
import { searchExecutions } from "./search-executions/search-executions.ts";
import type { ToolContext } from "./tool-context.ts";
import { checkToolContract } from "./tool-contract/check-tool-contract.ts";
import { traceRequest } from "./trace-request/trace-request.ts";
import { diffWorkflow } from "./workflows/diff-workflow.ts";
import { getWorkflow } from "./workflows/get-workflow.ts";
import { listWorkflows } from "./workflows/list-workflows.ts";

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
