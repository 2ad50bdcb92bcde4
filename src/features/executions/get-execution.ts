import * as z from "zod";
import { reasonOf } from "../../executions/causes/explain.ts";
import { ownTextOf } from "../../executions/failure.ts";
import { countSubExecutions } from "../../executions/links.ts";
import { type ExecutionSummary, summarizeExecution } from "../../executions/summary.ts";
import { WITHHELD_SENTENCE } from "../../executions/withheld.ts";
import { defineTool, type Guidance } from "../../mcp/define-tool.ts";
import { explainedOutline } from "../../n8n/explanation-plans.ts";
import { type ExecutionWithData, isEngineV2Run } from "../../n8n/schemas.ts";
import { counted } from "../../platform/counted.ts";
import { quoted, visibleName } from "../../platform/display-name.ts";
import { joinSentences } from "../../platform/sentences.ts";
import { executionFacts, executionId, guidance, nextCall } from "../params.ts";
import {
  ownTextHint,
  SHORT_TEXT,
  type ShownFailure,
  shortened,
  showFailure,
  showOtelTrace,
} from "../shown.ts";
import { contextOf, type ToolContext, type WorkflowContext } from "../tool-context.ts";

const link = z.looseObject({ executionId: z.string(), workflowId: z.string().nullable() });

const failure = z.looseObject({
  nodeName: z.string().nullable(),
  message: z.string(),
  name: z.string().optional(),
  httpCode: z.string().optional(),
  hasOwnText: z.boolean().optional(),
});

/** n8n's own limit. */
const MAX_CUSTOM_DATA = 10;
const MAX_CUSTOM_VALUE = 100;

const customMembers = z.object({ customData: z.record(z.string(), z.unknown()) });

/** Keys and values may come from payload: without `n8n:data`, only their count is shown. Redacted before they are cut. */
function showCustomData({ customData }: ExecutionWithData, { mayReadData, redact }: WorkflowContext) {
  const members = Object.entries(customData ?? {}).slice(0, MAX_CUSTOM_DATA);
  if (members.length === 0) return {};
  if (!mayReadData) return { customDataCount: members.length };
  const redacted = customMembers.parse(redact({ customData: Object.fromEntries(members) })).customData;
  const shown = Object.entries(redacted).map(([key, value]) => [
    key,
    typeof value === "string" ? shortened(value, MAX_CUSTOM_VALUE) : value,
  ]);
  return { customData: Object.fromEntries(shown) };
}

/** Beyond this, only the count is given. */
const MAX_LINKS = 8;

/** @param why what went wrong; null if unknown */
function suggestNextCall(
  summary: ExecutionSummary,
  error: ShownFailure | null,
  why: string | null,
): Guidance {
  const { id, workflowId, status, availableNodes } = summary;
  if (why !== null || error !== null || status === "crashed" || status === "canceled")
    return nextCall(`Why, and what came of it.${ownTextHint(error)}`, "explain_failure", { executionId: id });
  const node = availableNodes.at(-1)?.nodeName;
  if (node === undefined) return nextCall("See what else ran.", "get_workflow_executions", { workflowId });
  const args = { id, nodeName: visibleName(node) };
  return nextCall("See what the last node sent.", "get_execution_by_node", args);
}

/** @param why the first sentence of `explain_failure`, as far as this execution alone shows it */
function sentence(summary: ExecutionSummary, why: string | null): string {
  const where = `Execution ${summary.id} of ${quoted(summary.workflowName ?? summary.workflowId)}`;
  const { executedNodes, totalNodes, earlierNodes = 0, unreadRuns = 0 } = summary.statistics;
  const earlier = earlierNodes === 0 ? "" : `, ${earlierNodes} of them only in the execution it began from`;
  const nodes =
    executedNodes === 0 ? "" : `; ${executedNodes} of ${counted(totalNodes, "node")} ran${earlier}`;
  const failed = summary.error?.nodeName == null ? "" : ` at node ${quoted(summary.error.nodeName)}`;
  const { duration, waitedMs = 0 } = summary;
  // Before n8n 2.13, the start of one that was resumed within a second may be that of its last part.
  const waited = waitedMs === 0 || waitedMs > (duration ?? 0) ? "" : `, ${waitedMs} of them waiting`;
  const time = duration === null ? "" : ` after ${duration} ms${waited}`;
  return joinSentences(
    `${where}: ${summary.status}${failed}${time}${nodes}.`,
    summary.runsUnknown,
    unreadRuns > 0 &&
      `At least ${counted(unreadRuns, "more node run was", "more node runs were")} not read: items and failures in them are not counted.`,
    summary.withheldByN8n === true && WITHHELD_SENTENCE,
    why !== null && (summary.status === "success" ? `It succeeded, but: ${why}` : why),
    unseenCaller(summary),
  );
}

function unseenCaller({ links: { parent, agentRun } }: ExecutionSummary): string {
  if (agentRun !== undefined)
    return `An agent of n8n's Agents module called it as a tool (agent ${agentRun.agentId}).`;
  const isUnseen = parent !== null && isEngineV2Run(parent.executionId);
  return isUnseen ? "Its parent is a run of engine v2, which n8n's public API does not show." : "";
}

export const getExecution = defineTool({
  name: "get_execution",
  title: "Summarize an execution",
  description:
    "Summary of one execution, however large: status, times, which nodes ran, what failed, parent and sub-executions. Use it before asking for data of nodes.",
  scope: "n8n:read",
  maxTokens: 1_000,
  audited: { id: "executionId" },
  input: z.strictObject({ id: executionId }),
  output: z.looseObject({
    id: z.string(),
    url: z.string(),
    ...executionFacts,
    otelTraceId: z.string().optional(),
    traceUrl: z.string().optional(),
    statistics: z.looseObject({
      totalNodes: z.number(),
      executedNodes: z.number(),
      successfulNodes: z.number(),
      failedNodes: z.number(),
      totalItemsProcessed: z.number(),
    }),
    availableNodes: z.array(
      z.looseObject({ nodeName: z.string(), nodeType: z.string().nullable(), status: z.string() }),
    ),
    error: failure.nullable(),
    customData: z.record(z.string(), z.unknown()).optional(),
    customDataCount: z.number().optional(),
    links: z.looseObject({
      parent: link.nullable(),
      subExecutions: z.array(link),
      retryOf: z.string().nullable(),
      retrySuccessId: z.string().nullable(),
    }),
    _guidance: guidance,
  }),
  async run({ id }, caller: ToolContext) {
    const client = caller.n8n();
    const execution = await client.readExecution(id, explainedOutline(await client.seesAll()));
    const context = await contextOf(caller, execution.workflowId);
    const summary = summarizeExecution(execution);
    const why = reasonOf(execution);
    const error =
      summary.error === null
        ? null
        : showFailure(summary.error, ownTextOf(execution), { context, length: SHORT_TEXT });
    const subExecutions = summary.links.subExecutions.slice(0, MAX_LINKS);
    const called = Math.max(summary.links.subExecutions.length, countSubExecutions(execution));
    const urls = context.n8nUrls();
    return {
      message: sentence(summary, why),
      data: {
        ...summary,
        url: urls.execution(summary.workflowId, summary.id),
        ...showOtelTrace(execution.tracingContext?.traceparent, urls),
        error,
        ...showCustomData(execution, context),
        links: {
          ...summary.links,
          subExecutions,
          subExecutionsInAll: called > subExecutions.length ? called : undefined,
        },
        _guidance: suggestNextCall(summary, error, why),
      },
    };
  },
  // The answer is small, and its own guidance names the failed node.
  rest({ id }) {
    const message = "Unlisted nodes can be requested by name; a wrong name returns the nearest.";
    return nextCall(message, "get_execution_by_node", { id, nodeName: "part of its name" });
  },
});
