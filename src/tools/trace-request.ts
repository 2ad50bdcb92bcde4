import * as z from "zod";
import { defineTool } from "../mcp/define-tool.ts";
import { findWorkflowId } from "../n8n/find-workflow.ts";
import { traceRequest as trace } from "../trace/trace-request.ts";
import { OUTCOMES, ROLES, type TreeNode } from "../trace/tree.ts";
import { isoDate, toDateWindow, workflowId, workflowName } from "./params.ts";

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
    const { sentence, scanError, executions, coverage, ...rest } = answer;
    const stopped =
      scanError === null
        ? ""
        : ` n8n failed before the scan ended (${scanError.code}): go on with the traceId.`;
    const error =
      scanError === null
        ? {}
        : {
            error: { code: scanError.code, message: scanError.message, solution: scanError.details.solution },
          };
    return {
      message: sentence + stopped,
      data: { ...rest, executions: executions.map(toTraced), coverage: { ...coverage, ...error } },
    };
  },
});
