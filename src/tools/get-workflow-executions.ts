import * as z from "zod";
import { durationMs } from "../executions/node-runs.ts";
import { defineTool } from "../mcp/define-tool.ts";
import { findWorkflowId, workflowNames } from "../n8n/find-workflow.ts";
import type { ExecutionListItem } from "../n8n/schemas.ts";
import {
  cursor,
  type DateWindow,
  isoDate,
  pageLimit,
  status,
  toDateWindow,
  workflowId,
  workflowName,
} from "./params.ts";

const execution = z.looseObject({
  id: z.string(),
  workflowId: z.string(),
  workflowName: z.string().nullable(),
  startedAt: z.string().nullable(),
  stoppedAt: z.string().nullable(),
  status: z.string(),
  mode: z.string(),
  durationMs: z.number().nullable(),
});

/** n8n before 2.36 ignores or refuses date filters; what it sent is held to the window here as well. */
function isInWindow({ startedAt }: ExecutionListItem, window: DateWindow): boolean {
  if (startedAt === null) return true;
  const started = Date.parse(startedAt);
  if (window.startedAfter !== undefined && started < Date.parse(window.startedAfter)) return false;
  return window.startedBefore === undefined || started <= Date.parse(window.startedBefore);
}

export const getWorkflowExecutions = defineTool({
  name: "get_workflow_executions",
  title: "List executions",
  description:
    "Lists executions, newest first, of one workflow or of all. Use it to see what ran when and how it ended. To find a request id use trace_request.",
  scope: "n8n:read",
  maxTokens: 20_000,
  input: z.strictObject({
    workflowId: workflowId.optional(),
    workflowName: workflowName.optional(),
    status: status.optional().describe("Running ones are listed only with running"),
    startedAfter: isoDate.optional(),
    startedBefore: isoDate.optional(),
    limit: pageLimit(10),
    cursor: cursor.optional(),
  }),
  output: z.looseObject({ executions: z.array(execution), nextCursor: z.string().nullable() }),
  async run(input, { n8n }) {
    const window = toDateWindow(input.startedAfter, input.startedBefore);
    const client = n8n();
    const { executions: all, nextCursor } = await client.listExecutions({
      workflowId: await findWorkflowId(client, input),
      status: input.status,
      ...window,
      limit: input.limit,
      cursor: input.cursor,
    });
    const inWindow = all.filter((item) => isInWindow(item, window));
    const names = await workflowNames(
      client,
      inWindow.map((item) => item.workflowId),
    );
    const executions = inWindow.map((item) => ({
      id: item.id,
      workflowId: item.workflowId,
      workflowName: names.get(item.workflowId) ?? null,
      startedAt: item.startedAt,
      stoppedAt: item.stoppedAt,
      status: item.status,
      mode: item.mode,
      durationMs: durationMs(item),
    }));
    const more = nextCursor === null ? "" : " There are more: call again with nextCursor.";
    return { message: `${executions.length} executions.${more}`, data: { executions, nextCursor } };
  },
});
