import * as z from "zod";
import { executionRequestId } from "../../history/request-ids/request-forms.ts";
import { defineTool } from "../../mcp/define-tool.ts";
import { degrade, fitsInto } from "../../mcp/degrade.ts";
import { TIME_BUDGET_MS } from "../../platform/time-limits.ts";
import { showDeliveries } from "../deliveries.ts";
import {
  scanLimit,
  timeBudgetMs,
  toScanError,
  whyItStopped,
  windowArguments,
  windowOf,
} from "../history-scan.ts";
import { otherWorkflowNodes } from "../other-workflows.ts";
import { guidance, nextCall, requestId, seeWhatRan, wholeNumber } from "../params.ts";
import { OUTCOMES, ROLES } from "../request-node.ts";
import { ownTextHint, SHORT_TEXT, type ShownFailure, showFailure, showOtelTrace } from "../shown.ts";
import { contextOf, type ToolContext } from "../tool-context.ts";
import { type MoreExecutions, showTree, TRACE_RENDERING } from "./compact-tree.ts";
import { leanCoverage, toLeanCoverage } from "./coverage.ts";
import { withDeadline } from "./history-deadline.ts";
import { type TraceAnswer, traceRequest as trace } from "./trace.ts";

/** MCP clients wait at least this long for an answer. */
const QUEUED_WAIT_MS = 20_000;
const USUALLY_FOUND_AS = "requestId";
const LEFT_TO_READ: Readonly<Record<string, string>> = {
  queue: "Read more of the executions in n8n's queue.",
  running: "Read more of the running executions.",
  time: "Time ran out before everything was read: continue, with more time.",
};
/** Leaves a slow n8n time to answer the last request before clients time out. */
const LONGER_BUDGET_MS = 40_000;
const MAX_TOKENS = 2_000;
const MAX_OTHER_WORKFLOWS = 10;
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

/** The legend explains the rows and the other members: workflows, their ids, and kinds. */
const moreExecutions = z.looseObject({
  legend: z.string(),
  rows: z.record(z.string(), z.array(z.string())),
  notShown: z.number(),
});

function suggestNextCall(
  answer: TraceAnswer,
  failure: (ShownFailure & { readonly executionId: string }) | null,
) {
  const { executions, traceId, outcome, doubtfulId, decidingId, waitingId, coverage } = answer;
  const isThere = (id: string): boolean => !answer.deletedIds.includes(id);
  if (failure !== null && isThere(failure.executionId)) {
    const why = `Why it failed, from the cause to what came of it.${ownTextHint(failure)}`;
    return nextCall(why, "explain_failure", { executionId: failure.executionId });
  }
  if (outcome === "queued")
    return nextCall("Wait until it has ended.", "trace_request", { traceId, waitMs: QUEUED_WAIT_MS });
  if (waitingId !== null && isThere(waitingId))
    return nextCall("What it waits for, and where to look.", "explain_failure", { executionId: waitingId });
  const succeededId = doubtfulId ?? (outcome === "success" ? decidingId : null);
  if (succeededId !== null && isThere(succeededId)) {
    const hasSucceeded = executions.some(({ id, status }) => id === succeededId && status === "success");
    const why = hasSucceeded ? "Compare it with earlier successes." : "See why it failed.";
    return nextCall(why, "explain_failure", { executionId: succeededId });
  }
  if (outcome === "not_found_yet") {
    const { workflowId, startedAfter, isOfOneWorkflow } = answer.scope;
    const namesScope = workflowId !== null || !isOfOneWorkflow;
    const startedBefore = coverage.from;
    // With traceId, the same would be read again.
    if (coverage.stoppedBy === "removed" && startedBefore !== null && namesScope)
      return nextCall("Look further back than the history index keeps.", "trace_request", {
        requestId: answer.requestId,
        workflowId: workflowId ?? undefined,
        startedAfter: startedAfter ?? undefined,
        startedBefore,
      });
    const why = LEFT_TO_READ[coverage.stoppedBy] ?? "Look further back.";
    const longer = coverage.stoppedBy === "time" ? { timeBudgetMs: LONGER_BUDGET_MS } : {};
    return nextCall(why, "trace_request", { traceId, ...longer });
  }
  const first = executions.find(({ id }) => isThere(id));
  if (first !== undefined)
    return nextCall("See a summary of the first execution.", "get_execution", { id: first.id });
  if (executions.length > 0) return seeWhatRan();
  if (answer.isAtKnownPathsOnly)
    return seeWhatRan(
      "Without n8n:data an id is compared with the values at known request-id paths only: connect again with n8n:data to look anywhere, or have the operator add its path to REQUEST_ID_PATHS. Else see what ran.",
    );
  return coverage.searchedForMentions < coverage.scannedExecutions
    ? nextCall(
        "Look for the id anywhere in the payload, which takes longer; if it was typed, check its upper and lower case first.",
        "trace_request",
        {
          traceId,
          deep: true,
        },
      )
    : seeWhatRan(
        "Names of fields, files and their names, and encoded text were not searched. Look for another spelling of the id, also in upper or lower case, or see what ran.",
      );
}

/** Drops workflow ids if the rows are nearly too large: each execution's own answer has its address. */
function fitted({ workflowIds, ...rows }: MoreExecutions, others: unknown) {
  const fits = fitsInto(MAX_TREE_TOKENS);
  return degrade(
    [{ workflowIds }, {}],
    (ids) => ({ ...rows, ...ids }),
    (more) => fits([more, others]),
  ).shown;
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
    requestId: requestId
      .optional()
      .describe(
        "The whole id; or an execution's id or n8n URL, a chat's sessionId, traceparent or trace id, custom data value. Required without traceId",
      ),
    ...windowArguments,
    limit: scanLimit,
    traceId: z
      .string()
      .regex(/^trace_[A-Za-z0-9-]{8,64}$/, "must be a traceId of an earlier answer")
      .optional()
      .describe("traceId of an earlier answer, to continue where it stopped"),
    deep: z
      .boolean()
      .default(false)
      .describe(
        "Needs n8n:data. Looks for the id anywhere in all payload, and reads again what is known; takes about ten times as long",
      ),
    timeBudgetMs,
    waitMs: wholeNumber(0, TIME_BUDGET_MS.most)
      .default(0)
      .describe("How long to wait, in milliseconds, for a request that has not arrived or not ended"),
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
    otelTraceId: z.string().optional(),
    traceUrl: z.string().optional(),
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
    const urls = context.n8nUrls();
    const idOfUrl = input.requestId === undefined ? undefined : urls.executionIdIn(input.requestId);
    const { limit, traceId, deep } = input;
    const answer = await trace(
      {
        limit,
        traceId,
        deep,
        timeBudgetMs: input.timeBudgetMs,
        requestId: idOfUrl === undefined ? input.requestId : executionRequestId(idOfUrl),
        window: await windowOf(input, context),
        newTraceId: context.newTraceId,
        mayReadData: await context.maySeeData(null),
      },
      {
        wait: {
          waitMs: input.waitMs,
          clock: context.clock,
          pause: context.pause,
          shared: context.sharedWait ?? { isFound: false },
        },
        history: withDeadline(context.history(), () => context.clock.now()),
        paths: context.requestIdPaths(),
        progress: context.progress,
      },
    );
    context.onTraced?.(answer.scope);
    const { stop, asOf, found, foundAs } = answer;
    const failed = answer.executions.find(({ id }) => id === answer.failure?.executionId);
    const ofFailed = await contextOf(context, failed?.workflowId ?? null);
    const failure =
      answer.failure === null
        ? null
        : showFailure(answer.failure, answer.ownText, { context: ofFailed, length: SHORT_TEXT });
    const important = [answer.failure?.executionId, answer.decidingId].filter((id) => typeof id === "string");
    const { moreExecutions: more, ...tree } = showTree(answer.executions, important, urls);
    // A tree in full already shows the deliveries.
    const deliveries = more === null ? {} : showDeliveries(answer.deliveries);
    const known = asOf === null ? "" : ` This is what was known at ${asOf}.`;
    const why = whyItStopped(stop);
    const stopped = why === "" ? "" : `${known} ${why}, so the rest was not read yet.`;
    return {
      message: answer.sentence + stopped,
      data: {
        requestId: answer.requestId,
        found,
        foundAs: foundAs === USUALLY_FOUND_AS ? undefined : foundAs,
        outcome: answer.outcome,
        failure,
        ...showOtelTrace(answer.traceparent, urls),
        ...deliveries,
        ...tree,
        moreExecutions:
          more === null ? undefined : fitted(more, [tree, answer.sentence, failure, deliveries]),
        otherWorkflows: otherWorkflowNodes(answer.otherWorkflows.slice(0, MAX_OTHER_WORKFLOWS)),
        coverage: { ...toLeanCoverage(answer.coverage, found), error: toScanError(stop) },
        traceId: answer.traceId,
        waitedMs: answer.waitedMs === 0 ? undefined : answer.waitedMs,
        _guidance: suggestNextCall(answer, failure),
      },
    };
  },
  rest(_input, { failure, executions }) {
    const id = failure?.executionId ?? executions[0]?.id;
    if (id === undefined) return seeWhatRan();
    const message = "The summary of an execution has the full names and the executions that it called.";
    return nextCall(message, "get_execution", { id });
  },
});
