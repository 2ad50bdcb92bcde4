/** All tools, in the order in which an agent should see them, and all prompts and resources. */
import type { Prompt } from "../mcp/define-prompt.ts";
import type { Tool } from "../mcp/define-tool.ts";
import type { ResourceDefinition } from "../mcp/resources.ts";
import { explainAgentRun } from "./agent-run/explain-agent-run.ts";
import { whyDidTheAgent } from "./agent-run/prompt.ts";
import { validateAtdf } from "./atdf/validate-atdf.ts";
import { auditWorkflow } from "./audit-workflow/audit-workflow.ts";
import { checkConnection } from "./check-connection/check-connection.ts";
import { checkInstances } from "./check-connection/check-instances.ts";
import { compareExecutions } from "./compare-executions/compare-executions.ts";
import { getExecution } from "./executions/get-execution.ts";
import { getExecutionByNode } from "./executions/get-execution-by-node.ts";
import { getExecutionDetails } from "./executions/get-execution-details.ts";
import { getWorkflowExecutions } from "./executions/get-workflow-executions.ts";
import { whatBroke } from "./executions/prompt.ts";
import { explainFailure } from "./explain-failure/explain-failure.ts";
import { summarizeFailures } from "./failure-digest/summarize-failures.ts";
import { forOneInstance, type InstancesContext } from "./instances.ts";
import { mapMcpServer } from "./mcp-map/map-mcp-server.ts";
import { reviewMcpServer } from "./mcp-map/prompt.ts";
import { queryExecutions } from "./query-executions/query-executions.ts";
import { queryInstances } from "./query-executions/query-instances.ts";
import { searchExecutions } from "./search-executions/search-executions.ts";
import type { ToolContext } from "./tool-context.ts";
import { checkToolContract } from "./tool-contract/check-tool-contract.ts";
import { whatHappened } from "./trace-request/prompt.ts";
import { traceInstances } from "./trace-request/trace-instances.ts";
import { traceRequest } from "./trace-request/trace-request.ts";
import { diffWorkflow } from "./workflows/diff-workflow.ts";
import { getWorkflow } from "./workflows/get-workflow.ts";
import { listWorkflows } from "./workflows/list-workflows.ts";

export const TOOLS: readonly Tool<ToolContext>[] = [
  traceRequest,
  explainFailure,
  summarizeFailures,
  queryExecutions,
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

export const PROMPTS: readonly Prompt[] = [whatHappened, whatBroke, whyDidTheAgent, reviewMcpServer];

/** For hosts in which people attach resources to a conversation. */
export const RESOURCES: readonly ResourceDefinition[] = [
  {
    name: "trace",
    title: "Trace of a request",
    description: "What happened to a request id, as trace_request reports it.",
    tool: "trace_request",
    argument: "requestId",
  },
  {
    name: "execution",
    title: "Execution",
    description: "Summary of an execution, as get_execution reports it.",
    tool: "get_execution",
    argument: "id",
  },
  {
    name: "workflow",
    title: "Workflow",
    description: "Outline of a workflow by its name, as get_workflow reports it.",
    tool: "get_workflow",
    argument: "workflowName",
  },
];

/** The tools for several n8n instances. @param names from the settings; two or more */
export function toolsForInstances(
  tools: readonly Tool<ToolContext>[],
  names: readonly string[],
): readonly Tool<InstancesContext>[] {
  const readsN8n = tools.filter((tool) => tool.name !== validateAtdf.name);
  const asksAll = new Map([
    [traceRequest.name, traceInstances],
    [queryExecutions.name, queryInstances],
    [checkConnection.name, checkInstances],
  ]);
  const instances = { names, toolsWithInstance: new Set(readsN8n.map((tool) => tool.name)) };
  return tools.map((tool) => {
    if (tool.name === validateAtdf.name) return validateAtdf;
    return asksAll.get(tool.name)?.(instances) ?? forOneInstance(tool, instances);
  });
}
