/** An id that carries its time says where to look first. Pure. */
import { timeInId } from "../request-ids/id-time.ts";
import type { TraceWindow } from "../store/trace-window.ts";

/** Around the time in an id: clocks differ, and a request may have been queued. */
const BEFORE_ID_TIME_MS = 10 * 60 * 1_000;
const AFTER_ID_TIME_MS = 60 * 60 * 1_000;

/**
 * The part of the window around the time that an id carries; null when it carries none, or the caller has said when.
 * @param now epoch ms
 */
export function windowAroundIdTime(id: string, window: TraceWindow, now: number): TraceWindow | null {
  if (window.startedAfter !== null || window.startedBefore !== null) return null;
  const time = timeInId(id, now);
  if (time === null) return null;
  return {
    ...window,
    startedAfter: new Date(time - BEFORE_ID_TIME_MS).toISOString(),
    startedBefore: new Date(time + AFTER_ID_TIME_MS).toISOString(),
  };
}
