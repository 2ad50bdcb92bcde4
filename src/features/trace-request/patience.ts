/**
 * Ends a trace before clients give up: what is only read to tell it better is waited for as long as they wait, and no
 * longer. Reading goes on for those who still wait for it.
 */
import type { HistoryQueries } from "../../history/history-queries.ts";
import { ObserverError } from "../../platform/errors.ts";
import { TIME_BUDGET_MS } from "../../platform/time-limits.ts";

const outOfTime = (): ObserverError =>
  new ObserverError("N8N_TIMEOUT", "n8n takes too long to answer for one call to wait for it.", {
    retryAfter: 1,
    solution: "Call again.",
  });

/**
 * The queries of a call that begins now. `lookCloser` throws `N8N_TIMEOUT`, and `unsavedWorkflows` gives null, once the
 * time of the longest call is over.
 * @param now epoch ms
 */
export function withPatience(history: HistoryQueries, now: () => number): HistoryQueries {
  const end = now() + TIME_BUDGET_MS.most;
  const orLate = async <Value>(asked: Promise<Value>, late: () => Value): Promise<Value> =>
    await answerWithin(Math.max(0, end - now()), asked, late);
  return {
    ...history,
    lookCloser: async (id) =>
      await orLate(history.lookCloser(id), () => {
        throw outOfTime();
      }),
    unsavedWorkflows: async () => await orLate(history.unsavedWorkflows(), () => null),
  };
}

/** What was asked for, or what stands for it if it takes longer. @throws what `asked` or `late` throws */
async function answerWithin<Value>(
  milliseconds: number,
  asked: Promise<Value>,
  late: () => Value,
): Promise<Value> {
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
