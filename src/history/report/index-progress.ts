/** The progress of an index that still backfills. Pure. */
import { DAY_MS } from "../../platform/durations.ts";
import type { IndexReport } from "./index-report.ts";

type Known = Pick<IndexReport, "head" | "floor" | "known" | "isWhole" | "isFull">;

interface Bounds {
  readonly days: number;
  readonly maxExecutions: number;
}

/** Upper bound of the executions left to read; 0 if none are, null while nothing is known. @param now epoch ms */
export function executionsLeft(index: Known, { days, maxExecutions }: Bounds, now: number): number | null {
  const { head, floor, known, isWhole, isFull } = index;
  if (isWhole || isFull) return 0;
  if (head === null || floor === null) return null;
  const ids = Number(BigInt(head.id) - BigInt(floor.id)) + 1;
  const bounds = [maxExecutions - known, (known / ids) * (Number(floor.id) - 1)];
  if (head.startedAt !== null && floor.startedAt !== null) {
    const passed = Date.parse(head.startedAt) - Date.parse(floor.startedAt);
    const ahead = Date.parse(floor.startedAt) - (now - days * DAY_MS);
    // Less than an hour of history says nothing about the days before.
    if (ahead <= 0) return 0;
    if (passed >= DAY_MS / 24) bounds.push((known / passed) * ahead);
  }
  return Math.max(0, Math.round(Math.min(...bounds)));
}

/** The known share in whole percent: 100 only if nothing is left. */
export const percentKnown = (known: number, left: number): number =>
  left === 0 ? 100 : Math.min(99, Math.floor((known / (known + left)) * 100));
