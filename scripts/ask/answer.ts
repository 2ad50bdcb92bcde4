/** The answer of `trace_request`, as far as it is printed. What the server adds besides is let through. */
import * as z from "zod";

const tracedExecution = z.looseObject({
  id: z.string(),
  workflowId: z.string(),
  workflowName: z.string().nullable(),
  role: z.string(),
  parentId: z.string().nullable(),
  status: z.string(),
  durationMs: z.number().nullable(),
  evidence: z.string(),
});
export type TracedExecution = z.infer<typeof tracedExecution>;

/** One row of `moreExecutions`, by the names of its columns. */
const rowExecution = z.object({
  id: z.string(),
  workflow: z.number(),
  role: z.string(),
  parentId: z.string().nullable(),
  status: z.string(),
  durationMs: z.number().nullable(),
  evidence: z.string(),
});

const trace = z.looseObject({
  requestId: z.string(),
  found: z.boolean(),
  failure: z
    .looseObject({
      executionId: z.string(),
      workflowName: z.string().nullable(),
      nodeName: z.string().nullable(),
      message: z.string(),
    })
    .nullable(),
  executions: z.array(tracedExecution),
  /** The others of a large tree, as rows. */
  moreExecutions: z
    .looseObject({
      columns: z.array(z.string()),
      workflows: z.array(z.string()),
      rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
      notShown: z.number(),
    })
    .optional(),
  timeline: z.array(z.looseObject({ offsetMs: z.number(), executionId: z.string(), event: z.string() })),
  coverage: z.looseObject({
    scannedExecutions: z.number(),
    from: z.string().nullable(),
    to: z.string().nullable(),
    complete: z.boolean(),
    skipped: z.array(z.looseObject({ executionId: z.string().nullable(), reason: z.string() })),
  }),
  traceId: z.string(),
});
export type Trace = z.infer<typeof trace>;

export const traceAnswer = z.discriminatedUnion("status", [
  z.looseObject({ status: z.literal("success"), message: z.string(), data: trace }),
  z.looseObject({
    status: z.literal("error"),
    data: z.looseObject({
      code: z.string(),
      message: z.string(),
      details: z.looseObject({ solution: z.string(), candidates: z.array(z.string()).optional() }),
    }),
  }),
]);
export type TraceAnswer = z.infer<typeof traceAnswer>;
export type TraceFound = Extract<TraceAnswer, { status: "success" }>;
export type TraceRefused = Extract<TraceAnswer, { status: "error" }>;

/** All executions that the answer tells, in full or as rows; each after its parent, by id among siblings. */
export function allExecutions({ executions, moreExecutions }: Trace): TracedExecution[] {
  if (moreExecutions === undefined) return executions;
  const { columns, workflows, rows } = moreExecutions;
  const others = rows.map((cells) => {
    const row = rowExecution.parse(Object.fromEntries(columns.map((name, index) => [name, cells[index]])));
    const workflowName = workflows[row.workflow] ?? null;
    return { ...row, workflowId: workflowName ?? "", workflowName };
  });
  return [...executions, ...others];
}
