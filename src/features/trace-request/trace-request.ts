import * as z from "zod";
import { askedExecution } from "../../history/request-ids/request-forms.ts";
import { defineTool, type Guidance } from "../../mcp/define-tool.ts";
import { estimateTokens } from "../../mcp/token-estimate.ts";
import type { N8nUrls } from "../../n8n/n8n-urls.ts";
import { visibleName } from "../../platform/display-name.ts";
import { TIME_BUDGET_MS } from "../../platform/time-limits.ts";
import { tellDeliveries } from "../deliveries.ts";
import { aboutOwnText, SHORT_TEXT, type ShownFailure, showFailure } from "../own-text.ts";
import { guidance, isoDate, scanLimit, timeBudgetMs, workflowId, workflowName } from "../params.ts";
import { OUTCOMES, ROLES } from "../request-tree.ts";
import { toScanError, whyItStopped } from "../scan-error.ts";
import type { ToolContext } from "../tool-context.ts";
import { windowOf } from "../trace-window.ts";
import { type MoreExecutions, tellTree } from "./compact-tree.ts";
import { leanCoverage, toLeanCoverage } from "./lean-coverage.ts";
import { TRACE_RENDERING } from "./rendering.ts";
import { type TraceAnswer, type TraceFailure, traceRequest as trace } from "./trace.ts";
import { SharedWait } from "./waiting.ts";

/** What need not be said. */
const USUALLY_FOUND_AS = "requestId";
const MAX_TOKENS = 2_000;
/** Leaves room for the coverage, the guidance and the ids. */
const MAX_TREE_TOKENS = MAX_TOKENS - 400;

const match = z.looseObject({
  kind: z.literal("mentioned").optional(),
  nodeName: z.string().nullable(),
  path: z.string(),
});

const traced = z.looseObject({
  id: z.string(),
  workflowId: z.string(),
  workflowName: z.string().nullable(),
  role: z.enum(ROLES),
  parentId: z.string().optional(),
  evidence: z.string().optional(),
  status: z.string(),
  startOffsetMs: z.number().nullable(),
  durationMs: z.number().nullable(),
  match: match.optional(),
});

const delivery = z.looseObject({
  executionId: z.string(),
  workflow: z.string(),
  outcome: z.enum(OUTCOMES),
  startedAt: z.string().nullable(),
});

/** Executions that are told as rows; the legend says how to read them. */
const moreExecutions = z.looseObject({
  legend: z.string(),
  // The legend says what else there is: workflows, their ids, and kinds.
  rows: z.record(z.string(), z.array(z.string())),
  notShown: z.number(),
});

/** To the failing node, further back, or to the execution that decided. */
function nextMove(answer: TraceAnswer, failure: ShownFailure<TraceFailure> | null): Guidance {
  const { executions, traceId } = answer;
  if (failure !== null && failure.nodeName !== null) {
    const args = { id: failure.executionId, nodeName: visibleName(failure.nodeName) };
    return {
      message: `See what the failing node was given.${aboutOwnText(failure)}`,
      example: `get_execution_by_node(${JSON.stringify(args)})`,
    };
  }
  const [first] = executions;
  if (first !== undefined) {
    return {
      message: "See a summary of the first execution.",
      example: `get_execution({"id":"${first.id}"})`,
    };
  }
  if (answer.outcome === "not_found_yet")
    return { message: "Look further back.", example: `trace_request({"traceId":"${traceId}"})` };
  if (answer.isAtKnownPathsOnly) {
    return {
      message:
        "Without n8n:data an id is compared with the values at known request-id paths only: connect again with n8n:data to look anywhere, or have the operator add its path to REQUEST_ID_PATHS. Else see what ran.",
      example: 'get_workflow_executions({"limit":20})',
    };
  }
  if (answer.coverage.searchedForMentions < answer.coverage.scannedExecutions) {
    return {
      message: "Look for the id anywhere in the payload, which takes longer.",
      example: `trace_request({"traceId":"${traceId}","deep":true})`,
    };
  }
  return {
    message: "Look for another spelling of the id, or see what ran.",
    example: 'get_workflow_executions({"limit":20})',
  };
}

/** What hangs on an execution is told by its summary. */
function rest(failedId: string | undefined, firstId: string | undefined): Guidance {
  const id = failedId ?? firstId;
  return id === undefined
    ? { message: "See what ran.", example: 'get_workflow_executions({"limit":20})' }
    : {
        message:
          "Names in full, and what an execution called, stand in its summary; links lead on from there.",
        example: `get_execution({"id":"${id}"})`,
      };
}

/** Of rows whose tree is nearly too much, the ids of workflows go first: each execution's own answer has its address. */
function toFitting(more: MoreExecutions, others: unknown) {
  const { workflowIds, ...rows } = more;
  return estimateTokens(JSON.stringify([more, others])) > MAX_TREE_TOKENS ? rows : { ...rows, workflowIds };
}

/** Of an address of n8n's the execution that it names. @throws ObserverError `VALIDATION_ERROR` */
function toAsked(requestId: string | undefined, urls: N8nUrls): string | undefined {
  const executionId = requestId === undefined ? undefined : urls.executionIdIn(requestId);
  return executionId === undefined ? requestId : askedExecution(executionId);
}

export const traceRequest = defineTool({
  name: "trace_request",
  title: "What happened to a request id?",
  description:
    "Finds every execution of a request id: outcome, failing node, sub-workflows, error handlers, retries, when each ran. Use it first whenever a request id, correlation id or the like is known. Reads newest first; go on with traceId when the outcome is not_found_yet.",
  scope: "n8n:read",
  hasPicture: true,
  rendering: TRACE_RENDERING,
  maxTokens: MAX_TOKENS,
  audited: { requestId: "requestIdDigest", traceId: "traceId", workflowId: "workflowId" },
  input: z.strictObject({
    requestId: z
      .string()
      .trim()
      .min(1, "must not be empty")
      .max(512, "must be at most 512 characters")
      .optional()
      .describe(
        "The whole id; or an execution's id or n8n URL, a chat's sessionId, traceparent or trace id, custom data value. Required without traceId",
      ),
    workflowId: workflowId.optional(),
    workflowName: workflowName.optional(),
    startedAfter: isoDate.optional(),
    startedBefore: isoDate.optional().describe("ISO 8601"),
    limit: scanLimit,
    traceId: z
      .string()
      .regex(/^trace_[A-Za-z0-9-]{8,64}$/, "must be a traceId of an earlier answer")
      .optional()
      .describe("traceId of an earlier answer, to go on where it stopped"),
    deep: z
      .boolean()
      .default(false)
      .describe(
        "Needs n8n:data. Looks for the id anywhere in all payload, and reads again what is known; takes about ten times as long",
      ),
    timeBudgetMs,
    waitMs: z
      .number()
      .int("must be a whole number")
      .min(0, "must be at least 0")
      .max(TIME_BUDGET_MS.most, `must be at most ${TIME_BUDGET_MS.most}`)
      .default(0)
      .describe("Waits so long, in milliseconds, for a request that has not come or not ended"),
  }),
  output: z.looseObject({
    requestId: z.string(),
    found: z.boolean(),
    foundAs: z.string().nullable().optional(),
    outcome: z.enum(OUTCOMES),
    failure: z
      .looseObject({
        executionId: z.string(),
        workflowName: z.string().nullable(),
        nodeName: z.string().nullable(),
        message: z.string(),
        hasOwnText: z.boolean().optional(),
      })
      .nullable(),
    startedAt: z.string().nullable(),
    executionUrl: z.string().optional(),
    deliveries: z
      .array(delivery)
      .optional()
      .describe("Beside moreExecutions, if sent several times: each time, failures first"),
    moreDeliveries: z.record(z.string(), z.number()).optional().describe("The others, counted by outcome"),
    executions: z.array(traced),
    moreExecutions: moreExecutions.optional(),
    coverage: leanCoverage,
    traceId: z.string(),
    _guidance: guidance,
  }),
  async run(input, context: ToolContext) {
    const requestId = toAsked(input.requestId, context.n8nUrls());
    const window = await windowOf(input, context);
    const answer = await trace(
      {
        requestId,
        window,
        limit: input.limit,
        traceId: input.traceId,
        newTraceId: context.newTraceId,
        deep: input.deep,
        timeBudgetMs: input.timeBudgetMs,
        mayReadData: context.mayReadData,
      },
      {
        wait: {
          waitMs: input.waitMs,
          clock: context.clock,
          pause: context.pause,
          shared: context.sharedWait ?? new SharedWait(),
        },
        history: context.history(),
        client: context.n8n(),
        paths: context.requestIdPaths(),
        progress: context.progress,
      },
    );
    const { scanError, asOf } = answer;
    const failure =
      answer.failure === null
        ? null
        : showFailure(answer.failure, answer.ownText, { context, length: SHORT_TEXT });
    const important = [answer.failure?.executionId, answer.decidingId].filter((id) => typeof id === "string");
    const { moreExecutions: more, ...told } = tellTree(answer.executions, important, context.n8nUrls());
    // A tree that is told in full tells them.
    const deliveries = more === null ? {} : tellDeliveries(answer.deliveries);
    const known = asOf === null ? "" : ` This is what was known at ${asOf}.`;
    const stopped = scanError === null ? "" : `${known} ${whyItStopped(scanError)}: go on with the traceId.`;
    return {
      message: answer.sentence + stopped,
      data: {
        requestId: answer.requestId,
        found: answer.found,
        ...(answer.foundAs === USUALLY_FOUND_AS ? {} : { foundAs: answer.foundAs }),
        outcome: answer.outcome,
        failure,
        ...deliveries,
        ...told,
        ...(more === null
          ? {}
          : { moreExecutions: toFitting(more, [told, answer.sentence, failure, deliveries]) }),
        coverage: {
          ...toLeanCoverage(answer.coverage, answer.found),
          ...(scanError === null ? {} : { error: toScanError(scanError) }),
        },
        traceId: answer.traceId,
        ...(answer.waitedMs === 0 ? {} : { waitedMs: answer.waitedMs }),
        _guidance: nextMove(answer, failure),
      },
    };
  },
  rest: (_input, { failure, executions }) => rest(failure?.executionId, executions[0]?.id),
});
