/** Whether executions lie in the window of a scan: n8n itself may not filter by date. Pure. */
import type { TraceWindow } from "../store/trace-window.ts";

export type StartedItem = { readonly id: string; readonly startedAt: string | null };
type Listed = { readonly workflowId: string; readonly startedAt: string | null };

/** Epoch ms; null if none has a start. */
export function earliestStart(items: readonly Pick<StartedItem, "startedAt">[]): number | null {
  const starts = items.flatMap(({ startedAt }) => (startedAt === null ? [] : Date.parse(startedAt)));
  return starts.length === 0 ? null : Math.min(...starts);
}

/** An execution that has not begun counts as inside. */
export function timeIn(
  { startedAfter, startedBefore }: TraceWindow,
  { startedAt }: Pick<Listed, "startedAt">,
): "before" | "inside" | "after" {
  if (startedAt === null) return "inside";
  const started = Date.parse(startedAt);
  if (startedAfter !== null && started < Date.parse(startedAfter)) return "before";
  return startedBefore !== null && started > Date.parse(startedBefore) ? "after" : "inside";
}

export const isInWindow = (window: TraceWindow, item: Listed): boolean =>
  (window.workflowId === null || item.workflowId === window.workflowId) && timeIn(window, item) === "inside";

/** The window, extended by `by` milliseconds on each side. A missing bound stays missing. */
export function widened({ workflowId, startedAfter, startedBefore }: TraceWindow, by: number): TraceWindow {
  const shifted = (time: string | null, ms: number): string | null =>
    time === null ? null : new Date(Date.parse(time) + ms).toISOString();
  return { workflowId, startedAfter: shifted(startedAfter, -by), startedBefore: shifted(startedBefore, by) };
}

/** True if the window ended before `now`, epoch ms: executions that have not begun cannot begin in it. */
export const hasWindowEnded = ({ startedBefore }: TraceWindow, now: number): boolean =>
  startedBefore !== null && Date.parse(startedBefore) < now;
