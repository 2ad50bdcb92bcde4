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
  /** Where it opens in n8n; of rows of a large tree none is told. */
  url: z.string().optional(),
});
export type TracedExecution = z.infer<typeof tracedExecution>;

const trace = z.looseObject({
  requestId: z.string(),
  found: z.boolean(),
  failure: z
    .looseObject({
      executionId: z.string(),
      workflowName: z.string().nullable(),
      nodeName: z.string().nullable(),
      message: z.string(),
      hasOwnText: z.boolean().optional(),
      ownText: z.looseObject({ message: z.string(), description: z.string().optional() }).optional(),
    })
    .nullable(),
  executions: z.array(tracedExecution),
  /** The others of a large tree, as rows. */
  moreExecutions: z
    .looseObject({
      workflows: z.array(z.string()),
      kinds: z.array(z.string()),
      rows: z.record(z.string(), z.array(z.string())),
      notShown: z.number(),
    })
    .optional(),
  timeline: z.array(z.looseObject({ offsetMs: z.number(), executionId: z.string(), event: z.string() })),
  coverage: z.looseObject({
    scannedExecutions: z.number(),
    from: z.string().nullable(),
    to: z.string().nullable(),
    stoppedBy: z.string(),
    skipped: z.array(z.looseObject({ executionId: z.string().nullable(), reason: z.string() })),
  }),
  /** Where there are several n8ns: the one that has it, and how far each was asked. */
  instance: z.string().nullable().optional(),
  instances: z
    .array(
      z.looseObject({
        instance: z.string(),
        outcome: z.string().optional(),
        scannedExecutions: z.number().optional(),
        message: z.string().optional(),
        url: z.string().optional(),
        error: z.looseObject({ code: z.string(), solution: z.string() }).optional(),
      }),
    )
    .optional(),
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

/** All executions that the answer tells, in full or as rows. */
export function allExecutions({ executions, moreExecutions }: Trace): TracedExecution[] {
  if (moreExecutions === undefined) return executions;
  const { workflows, kinds, rows } = moreExecutions;
  const others = Object.entries(rows).flatMap(([parentId, children]) =>
    children.map((row): TracedExecution => {
      const [id = "", kind = "", , durationMs = "-"] = row.split(" ");
      const [workflow = "", status = "", role = "", ...evidence] = (kinds[Number(kind)] ?? "").split(" ");
      return {
        id,
        workflowId: "",
        workflowName: workflows[Number(workflow)] ?? "",
        role,
        parentId: parentId === "none" ? null : parentId,
        status,
        durationMs: durationMs === "-" ? null : Number(durationMs),
        evidence: evidence.join(" "),
      };
    }),
  );
  return [...executions, ...others];
}
