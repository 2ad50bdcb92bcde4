import * as z from "zod";
import { durationMs } from "../../executions/node-runs.ts";
import { defineTool } from "../../mcp/define-tool.ts";
import { hidesUnfinished } from "../../n8n/capabilities/capabilities.ts";
import { withLimit } from "../../n8n/execution-cursor.ts";
import { counted } from "../../platform/counted.ts";
import { joinSentences } from "../../platform/sentences.ts";
import { inWindow, listPage } from "../execution-pages.ts";
import { findWorkflow, workflowNames } from "../find-workflow.ts";
import { executionCursor, MORE_SENTENCE, pageLimit, smallerPage } from "../paging.ts";
import { projectId, startedWithin, status, toDateWindow, workflowId, workflowName } from "../params.ts";
import type { ToolContext } from "../tool-context.ts";

const execution = z.looseObject({
  id: z.string(),
  workflowId: z.string(),
  workflowName: z.string().nullable(),
  startedAt: z.string().nullable(),
  stoppedAt: z.string().nullable(),
  status: z.string(),
  mode: z.string(),
  durationMs: z.number().nullable(),
  url: z.string(),
});

export const getWorkflowExecutions = defineTool({
  name: "get_workflow_executions",
  title: "List executions",
  description:
    "Lists executions, newest first, of one workflow or of all. Use it to see what ran when and how it ended. To find a request id use trace_request.",
  scope: "n8n:read",
  maxTokens: 20_000,
  audited: { workflowId: "workflowId", projectId: "projectId" },
  input: z.strictObject({
    workflowId: workflowId.optional(),
    workflowName: workflowName.optional(),
    projectId: projectId.optional(),
    status: status.optional().describe("Running ones are listed only with running"),
    ...startedWithin,
    limit: pageLimit(10),
    cursor: executionCursor.optional(),
  }),
  output: z.looseObject({ executions: z.array(execution), nextCursor: z.string().nullable() }),
  async run(input, context: ToolContext) {
    const urls = context.n8nUrls();
    const window = toDateWindow(input.startedAfter, input.startedBefore);
    const client = context.n8n();
    const workflow = await findWorkflow(input, context);
    const query = {
      workflowId: workflow?.id,
      projectId: input.projectId,
      status: input.status,
      limit: input.limit,
      cursor: input.cursor === undefined ? undefined : withLimit(input.cursor, input.limit),
    };
    const page = await listPage(client, query, window);
    const { inside, isPast } = inWindow(page.executions, window);
    const nextCursor = isPast ? null : page.nextCursor;
    const ids = inside.map((item) => item.workflowId);
    const { names, unresolved } = await workflowNames(client, ids, workflow);
    const executions = inside.map((item) => ({
      id: item.id,
      workflowId: item.workflowId,
      workflowName: names.get(item.workflowId) ?? null,
      startedAt: item.startedAt,
      stoppedAt: item.stoppedAt,
      status: item.status,
      mode: item.mode,
      durationMs: durationMs(item),
      url: urls.execution(item.workflowId, item.id),
    }));
    const unrecognized = page.unrecognizedIds.length;
    const known = await client.withStatuses(context.capabilities());
    const mayLackUnfinished =
      hidesUnfinished(known) && (input.status === undefined || input.status === "waiting");
    return {
      message: joinSentences(
        `${counted(executions.length, "execution")}.`,
        unrecognized > 0 && `${unrecognized} more cannot be shown: the shape is unknown.`,
        nextCursor !== null && MORE_SENTENCE,
        unresolved > 0 &&
          `The names of ${counted(unresolved, "workflow")} are missing: list_workflows has them.`,
        // n8n leaves out only what the process that answers runs or has queued, which may be one of several.
        input.status === undefined && "Running ones may be listed only with status running.",
        input.status === "new" && "What waits in n8n's queue may be in no list: summarize_failures shows it.",
        mayLackUnfinished &&
          "Executions that wait or run may be in no list of this n8n: trace_request finds them by a request id.",
        page.executions.some(({ isStatusInferred }) => isStatusInferred === true) &&
          "This n8n lists no status: error may be canceled or crashed, too.",
      ),
      data: { executions, nextCursor },
    };
  },
  rest: (input, shown) => smallerPage("get_workflow_executions", input, shown.executions.length),
});
