/** The feature list: every tool there is, in the order in which an agent should meet them. */
import type { Tool } from "../mcp/define-tool.ts";
import { explainAgentRun } from "./agent-run/explain-agent-run.ts";
import { validateAtdf } from "./atdf/validate-atdf.ts";
import { checkConnection } from "./check-connection/check-connection.ts";
import { checkInstances } from "./check-connection/check-instances.ts";
import { compareExecutions } from "./compare-executions/compare-executions.ts";
import { getExecution } from "./executions/get-execution.ts";
import { getExecutionByNode } from "./executions/get-execution-by-node.ts";
import { getExecutionDetails } from "./executions/get-execution-details.ts";
import { getWorkflowExecutions } from "./executions/get-workflow-executions.ts";
import { explainFailure } from "./explain-failure/explain-failure.ts";
import { summarizeFailures } from "./failure-digest/summarize-failures.ts";
import { askingOne } from "./for-instances.ts";
import type { Instances, InstancesContext } from "./instances-context.ts";
import { auditWorkflow } from "./lint-workflow/audit-workflow.ts";
import { mapMcpServer } from "./mcp-map/map-mcp-server.ts";
import { searchExecutions } from "./search-executions/search-executions.ts";
import type { ToolContext } from "./tool-context.ts";
import { checkToolContract } from "./tool-contract/check-tool-contract.ts";
import { traceInstances } from "./trace-request/trace-instances.ts";
import { traceRequest } from "./trace-request/trace-request.ts";
import { diffWorkflow } from "./workflows/diff-workflow.ts";
import { getWorkflow } from "./workflows/get-workflow.ts";
import { listWorkflows } from "./workflows/list-workflows.ts";

export const TOOLS: readonly Tool<ToolContext>[] = [
  traceRequest,
  explainFailure,
  summarizeFailures,
  searchExecutions,
  getExecution,
  explainAgentRun,
  getExecutionByNode,
  getExecutionDetails,
  compareExecutions,
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

/**
 * The tools where there are several n8n instances.
 * @param names of the n8n instances, as the settings have them; two or more
 */
export function toolsForInstances(
  tools: readonly Tool<ToolContext>[],
  names: readonly string[],
): readonly Tool<InstancesContext>[] {
  const readsN8n = tools.filter((tool) => tool.name !== validateAtdf.name);
  const asksAll = new Map([
    [traceRequest.name, traceInstances],
    [checkConnection.name, checkInstances],
  ]);
  const instances = { names, toolsThatTakeOne: new Set(readsN8n.map((tool) => tool.name)) };
  return tools.map((tool) => {
    const asking = asksAll.get(tool.name) ?? ((given: Instances) => askingOne(tool, given));
    return tool.name === validateAtdf.name ? validateAtdf : asking(instances);
  });
}
