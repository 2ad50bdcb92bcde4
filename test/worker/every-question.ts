/** Questions about every execution and workflow, to prove that no answer shows a hidden workflow of the recorded n8n. */
import * as z from "zod";
import { type McpMessage, toolCall } from "../support/mcp-post.ts";

export const WORKFLOWS = {
  calendar: { id: "Qv3Rd7pPcY8cxR8J", name: "calendar.create" },
  orders: { id: "pIfdWBL4LVeXyfEI", name: "orders.process" },
  server: { id: "1XeIfz7HPI4BwIKP", name: "MCP Server FamilyHub" },
  range: { id: "4dOdfXPSHkVuH7yn", name: "SWF_Valida_Rango_Fechas" },
  bulk: { id: "gpY1EVl3IMuwjwT5", name: "bulk.import" },
} as const;

export const WINDOW = { startedAfter: "2026-11-20T00:00:00.000Z", startedBefore: "2026-11-21T00:00:00.000Z" };

/** Tools that show definitions, which contain the ids of the workflows they call. */
export const SHOWS_DEFINITIONS = /map_mcp_server|audit_workflow|check_tool_contract|diff_workflow/;

const listedExecution = z.looseObject({ id: z.string(), workflowId: z.string() });
export type ListedExecution = z.infer<typeof listedExecution>;

const list = z.object({
  result: z.object({
    structuredContent: z.object({ data: z.object({ executions: z.array(listedExecution) }) }),
  }),
});

export const LIST_EXECUTIONS = toolCall("get_workflow_executions", { limit: 100 });

export function listedExecutions(answer: unknown): readonly ListedExecution[] {
  return list.parse(answer).result.structuredContent.data.executions;
}

/** At most two executions of each workflow. */
export function examplesOf(executions: readonly ListedExecution[]): ListedExecution[] {
  const byWorkflow = Map.groupBy(executions, ({ workflowId }) => workflowId);
  return [...byWorkflow.values()].flatMap((own) => own.slice(0, 2));
}

export function everyQuestion(executions: readonly ListedExecution[]): McpMessage[] {
  return [
    ...examplesOf(executions).flatMap(({ id }) => [
      toolCall("get_execution", { id }),
      toolCall("trace_request", { requestId: id }),
      toolCall("explain_failure", { executionId: id }),
      toolCall("compare_executions", { id }),
      toolCall("explain_agent_run", { executionId: id }),
      toolCall("get_execution_details", { executionId: id }),
      toolCall("get_execution_by_node", { id, nodeName: "Webhook" }),
    ]),
    ...Object.values(WORKFLOWS).flatMap(({ id: workflowId }) => [
      toolCall("get_workflow", { workflowId }),
      toolCall("diff_workflow", { workflowId }),
      toolCall("audit_workflow", { workflowId }),
      toolCall("map_mcp_server", { workflowId }),
      toolCall("check_tool_contract", { workflowId }),
      toolCall("get_workflow_executions", { workflowId }),
    ]),
    toolCall("trace_request", { requestId: "req-100" }),
    toolCall("list_workflows", { active: true }),
    toolCall("list_workflows", { active: false }),
    toolCall("audit_workflow", {}),
    toolCall("map_mcp_server", {}),
    toolCall("summarize_failures", WINDOW),
    toolCall("query_executions", { groupBy: ["workflow"], ...WINDOW }),
    toolCall("search_executions", { words: "error", ...WINDOW }),
    toolCall("search_executions", { text: "erro", ...WINDOW }),
    toolCall("check_connection", {}),
    { method: "tools/list" },
    { method: "prompts/list" },
    { method: "resources/list" },
    { method: "resources/templates/list" },
    {
      method: "completion/complete",
      params: {
        ref: { type: "ref/prompt", name: "review_mcp_server" },
        argument: { name: "workflow", value: "" },
      },
    },
  ];
}
