import * as z from "zod";
import type { ObserverError } from "../errors.ts";
import { displayName } from "../executions/display-name.ts";
import { defineTool, type Guidance } from "../mcp/define-tool.ts";
import { type TraceAnswer, traceRequest as trace } from "../trace/trace-request.ts";
import { OUTCOMES, ROLES, type TreeNode } from "../trace/tree.ts";
import { findWorkflowId } from "./find-workflow.ts";
import { guidance, isoDate, toDateWindow, workflowId, workflowName } from "./params.ts";

const MAX_SCAN = 10_000;
const DEFAULT_SCAN = 2_000;

const match = z.looseObject({
  kind: z.enum(["exact", "mentioned"]),
  nodeName: z.string().nullable(),
  path: z.string(),
});

const traced = z.looseObject({
  id: z.string(),
  workflowId: z.string(),
  workflowName: z.string().nullable(),
  role: z.enum(ROLES),
  parentId: z.string().nullable(),
  status: z.string(),
  startedAt: z.string().nullable(),
  durationMs: z.number().nullable(),
  match: match.nullable(),
  evidence: z.string(),
});

/** The end of an execution stands in the timeline. */
function toTraced({ stoppedAt: _stoppedAt, ...node }: TreeNode): Omit<TreeNode, "stoppedAt"> {
  return node;
}

/** Why n8n ended the scan early. */
function toScanError({ code, message, details }: ObserverError): Record<string, unknown> {
  return { code, message, solution: details.solution };
}

/** To the failing node, further back, or to the execution that decided. */
function nextMove({ failure, executions, coverage, traceId }: TraceAnswer): Guidance {
  if (failure !== null && failure.nodeName !== null) {
    const args = { id: failure.executionId, nodeName: displayName(failure.nodeName) };
    return {
      message: "See what the failing node was given.",
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
  return coverage.complete
    ? {
        message: "Look for another spelling of the id, or see what ran.",
        example: 'get_workflow_executions({"limit":20})',
      }
    : { message: "Look further back.", example: `trace_request({"traceId":"${traceId}"})` };
}

export const traceRequest = defineTool({
  name: "trace_request",
  title: "What happened to a request id?",
  description:
    "Finds every execution of a request id: outcome, failing node, sub-workflows, error handlers, retries, timeline. Use it first whenever a request id, correlation id or the like is known. Reads newest first; go on with traceId when coverage.complete is false.",
  scope: "n8n:read",
  maxTokens: 4_000,
  input: z.strictObject({
    requestId: z
      .string()
      .trim()
      .min(1, "must not be empty")
      .max(512, "must be at most 512 characters")
      .optional()
      .describe("The whole id; a part of an id is no hit. Required unless traceId is given"),
    workflowId: workflowId.optional(),
    workflowName: workflowName.optional(),
    startedAfter: isoDate.optional(),
    startedBefore: isoDate.optional(),
    limit: z
      .number()
      .int("must be a whole number")
      .min(1, "must be at least 1")
      .max(MAX_SCAN, `must be at most ${MAX_SCAN}`)
      .default(DEFAULT_SCAN)
      .describe(`Most executions to read in this call, 1 to ${MAX_SCAN}`),
    traceId: z
      .string()
      .regex(/^trace_[A-Za-z0-9-]{8,64}$/, "must be a traceId of an earlier answer")
      .optional()
      .describe("traceId of an earlier answer, to go on where it stopped"),
  }),
  output: z.looseObject({
    requestId: z.string(),
    found: z.boolean(),
    outcome: z.enum(OUTCOMES),
    failure: z
      .looseObject({
        executionId: z.string(),
        workflowName: z.string().nullable(),
        nodeName: z.string().nullable(),
        message: z.string(),
      })
      .nullable(),
    executions: z.array(traced),
    timeline: z.array(
      z.looseObject({ at: z.string(), offsetMs: z.number(), executionId: z.string(), event: z.string() }),
    ),
    coverage: z.looseObject({
      scannedExecutions: z.number(),
      from: z.string().nullable(),
      to: z.string().nullable(),
      complete: z.boolean(),
      skipped: z.array(z.looseObject({ executionId: z.string().nullable(), reason: z.string() })),
    }),
    traceId: z.string(),
    _guidance: guidance,
  }),
  async run(input, context) {
    const dates = toDateWindow(input.startedAfter, input.startedBefore);
    const client = context.n8n();
    const answer = await trace(
      {
        requestId: input.requestId,
        window: {
          workflowId: (await findWorkflowId(client, input)) ?? null,
          startedAfter: dates.startedAfter ?? null,
          startedBefore: dates.startedBefore ?? null,
        },
        limit: input.limit,
        traceId: input.traceId,
      },
      {
        client,
        store: context.traces,
        paths: context.requestIdPaths(),
        now: context.now,
        newTraceId: context.newTraceId,
        progress: context.progress,
      },
    );
    const { scanError, coverage } = answer;
    const stopped =
      scanError === null
        ? ""
        : ` n8n failed before the scan ended (${scanError.code}): go on with the traceId.`;
    return {
      message: answer.sentence + stopped,
      data: {
        requestId: answer.requestId,
        found: answer.found,
        outcome: answer.outcome,
        failure: answer.failure,
        executions: answer.executions.map(toTraced),
        timeline: answer.timeline,
        coverage: { ...coverage, ...(scanError === null ? {} : { error: toScanError(scanError) }) },
        traceId: answer.traceId,
        _guidance: nextMove(answer),
      },
    };
  },
});
