/** An answer of `trace_request`, as far as it has to be understood here. What the server adds besides is let through. */
import * as z from "zod";

const trace = z.looseObject({
  requestId: z.string(),
  found: z.boolean(),
  coverage: z.looseObject({ stoppedBy: z.string().exactOptional() }),
  traceId: z.string(),
});

const meta = z.looseObject({});

export const traceAnswer = z.discriminatedUnion("status", [
  z.looseObject({ status: z.literal("success"), message: z.string(), data: trace, meta }),
  z.looseObject({
    status: z.literal("error"),
    data: z.looseObject({ code: z.string(), message: z.string(), details: z.looseObject({}) }),
    meta,
  }),
]);
export type TraceAnswer = z.infer<typeof traceAnswer>;
