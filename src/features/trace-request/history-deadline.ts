/**
 * Ends a trace before clients time out: reads that only add details are awaited until then, and no longer. They go on
 * for other calls that wait for them.
 */
import type { HistoryQueries } from "../../history/history-queries.ts";
import { ObserverError } from "../../platform/errors.ts";
import { TIME_BUDGET_MS } from "../../platform/time-limits.ts";

const timedOut = (): ObserverError =>
  new ObserverError("N8N_TIMEOUT", "n8n takes longer to answer than one call can wait.", {
    retryAfter: 1,
    solution: "Call again.",
  });

/**
 * The history for a call that starts now: once the longest time budget is over, `lookCloser` throws `N8N_TIMEOUT`, and
 * `unsavedWorkflows` returns null.
 * @param now epoch ms
 */
export function withDeadline(history: HistoryQueries, now: () => number): HistoryQueries {
  const end = now() + TIME_BUDGET_MS.most;
  const untilDeadline = async <Value>(asked: Promise<Value>, late: () => Value): Promise<Value> =>
    await answerWithin(Math.max(0, end - now()), asked, late);
  return {
    ...history,
    lookCloser: async (...asked) =>
      await untilDeadline(history.lookCloser(...asked), () => {
        throw timedOut();
      }),
    unsavedWorkflows: async () => await untilDeadline(history.unsavedWorkflows(), () => null),
  };
}

/** The value of `asked`, or of `late` after the timeout. @throws what `asked` or `late` throws */
async function answerWithin<Value>(milliseconds: number, asked: Promise<Value>, late: () => Value) {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const timesOut = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  try {
    const first = await Promise.race([asked.then((value) => ({ value })), timesOut]);
    return first === undefined ? late() : first.value;
  } finally {
    clearTimeout(timer);
  }
}
