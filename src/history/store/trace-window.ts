/** The part of history that a trace looks at. */
import * as z from "zod";

export const traceWindow = z.object({
  workflowId: z.string().nullable(),
  /** ISO 8601 in UTC with milliseconds, inclusive. */
  startedAfter: z.string().nullable(),
  startedBefore: z.string().nullable(),
});
export type TraceWindow = z.infer<typeof traceWindow>;
