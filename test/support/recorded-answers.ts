/** One answer of each kind from the recorded n8n, for measurements. */
import { TOOLS } from "../../src/features/index.ts";
import type { Envelope } from "../../src/mcp/envelope.ts";
import { renderAnswer } from "../../src/mcp/rendering/render-answer.ts";
import { agentRunOf } from "./agent-run-of.ts";
import type { Caller } from "./call-recorded.ts";
import { countTokens } from "./token-counts.ts";

/** Description → call. For agent runs, which are recorded separately, the id is the name of the kind. */
export const ASKED: Readonly<
  Record<string, readonly [tool: string, args: Readonly<Record<string, unknown>>]>
> = {
  "trace of 4 executions": ["trace_request", { requestId: "req-retry" }],
  "trace of 6 executions, failed": ["trace_request", { requestId: "req-deep-failure" }],
  "trace of 2 executions": ["trace_request", { requestId: "req-100" }],
  "trace, nothing found": ["trace_request", { requestId: "nothing-here" }],
  "search, 3 hits": ["search_executions", { text: "req-deep-failure" }],
  "summary of an execution": ["get_execution", { id: "34" }],
  "data of a node": ["get_execution_by_node", { id: "34", nodeName: "Fetch Rate" }],
  "details of an execution": ["get_execution_details", { executionId: "34" }],
  "list of 20 executions": ["get_workflow_executions", { limit: 20 }],
  "list of 18 workflows": ["list_workflows", { limit: 20 }],
  "outline of a workflow": ["get_workflow", { workflowName: "orders.process" }],
  "map of an MCP server": ["map_mcp_server", { workflowName: "orders.process" }],
  "contract of a tool": ["check_tool_contract", { workflowName: "orders.process" }],
  "check of the connection": ["check_connection", {}],
  "explanation of a failure": ["explain_failure", { executionId: "34" }],
  "explanation of a success": ["explain_failure", { executionId: "1" }],
  "comparison with the last success": ["compare_executions", { id: "7" }],
  "digest of a day": [
    "summarize_failures",
    { startedAfter: "2026-11-20", startedBefore: "2026-11-21", timeBudgetMs: 55_000 },
  ],
  "run of an agent, 5 calls": ["explain_agent_run", { executionId: "two-tools-3-1" }],
  "run of an agent, 30 calls": ["explain_agent_run", { executionId: "thirty-calls-3-1" }],
  "run of three nested agents": ["explain_agent_run", { executionId: "nested-3-1" }],
  "an error": ["get_execution_by_node", { id: "34", nodeName: "nope" }],
};

export interface MeasuredAnswer {
  readonly answer: Envelope;
  readonly json: number;
  readonly text: number;
}

/** Makes the call, and counts the tokens of both forms of its answer. */
export async function measureAnswer(caller: Caller, what: string): Promise<MeasuredAnswer> {
  const [tool, args = {}] = ASKED[what] ?? [];
  if (tool === undefined) throw new Error(`Nothing is asked for ${what}.`);
  const answer =
    tool === "explain_agent_run" ? await agentRunOf(String(args.executionId)) : await caller.call(tool, args);
  const rendering = TOOLS.find(({ name }) => name === tool)?.rendering;
  return {
    answer,
    json: countTokens(JSON.stringify(answer)),
    text: countTokens(renderAnswer(answer, rendering)),
  };
}
