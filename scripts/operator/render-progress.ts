/** The progress of an index as a line for a terminal. Pure. */
import { executionsLeft, percentKnown } from "../../src/history/report/index-progress.ts";
import type { FailedIndex, IndexReport } from "../../src/history/report/index-report.ts";
import { toPlainText } from "../ask/plain-text.ts";

/** How many executions an index knew, and when (epoch ms). */
export interface IndexSample {
  readonly known: number;
  readonly at: number;
}

/** The line of an index that will read no farther back by itself. */
const last = (text: string) => ({ text, isOver: true });
const further = (text: string) => ({ text, isOver: false });

const inThousands = (count: number): string => count.toLocaleString("en-US");
const toMinute = (time: string): string => `${time.slice(0, 16).replace("T", " ")} UTC`;

/** @param first from the begin of the watch @param now epoch ms */
export function renderProgress(index: IndexReport | FailedIndex, first: IndexSample, now: number) {
  if ("error" in index)
    return last(toPlainText(`cannot be shown: ${index.error.code}: ${index.error.message}`));
  const { floor, known, isWhole, settings, lastFailure } = index;
  const left = executionsLeft(index, settings, now);
  const count = `${inThousands(known)} executions known`;
  const startedAt = floor?.startedAt ?? null;
  const back = startedAt === null ? "" : `, back to ${toMinute(startedAt)}`;
  if (isWhole) return last(`${count}${back}: all that n8n has`);
  if (left === 0) return last(`${count}${back}: as far as it reads`);
  if (settings.intervalMs === null)
    return last(`${count}${back}: it reads only when somebody asks (INDEX_INTERVAL=off)`);
  if (lastFailure?.isOver === false) return further(`${count}${back}: n8n fails with ${lastFailure.code}`);
  if (left === null) return further("nothing known yet");
  return further(`${count} (${percentKnown(known, left)} %)${back}${toPace(known, left, first, now)}`);
}

function toPace(known: number, left: number, first: IndexSample, now: number): string {
  const perSecond = (known - first.known) / Math.max(1, (now - first.at) / 1_000);
  if (perSecond <= 0) return "";
  return `; ${inThousands(Math.round(perSecond))} a second, at most ${toDuration(left / perSecond)} left`;
}

function toDuration(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  return seconds < 6_000 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`;
}
