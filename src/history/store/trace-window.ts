/** The part of history that a trace covers, and its SQL condition. */
import * as z from "zod";

export const traceWindow = z.object({
  workflowId: z.string().nullable(),
  /** ISO 8601 in UTC with milliseconds, inclusive. */
  startedAfter: z.string().nullable(),
  startedBefore: z.string().nullable(),
});
export type TraceWindow = z.infer<typeof traceWindow>;

export const isWholeHistory = (window: TraceWindow): boolean =>
  Object.values(window).every((bound) => bound === null);

/** An execution that has not started is in every window. */
export const IN_WINDOW = `(?1 IS NULL OR workflow_id = ?1) AND (?2 IS NULL OR started_at IS NULL OR started_at >= ?2)
  AND (?3 IS NULL OR started_at IS NULL OR started_at <= ?3)`;

/** The values of `IN_WINDOW`. */
export const windowBindings = ({ workflowId, startedAfter, startedBefore }: TraceWindow) =>
  [workflowId, startedAfter, startedBefore] as const;
