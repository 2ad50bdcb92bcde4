/** The window of a digest: a number of hours until now, or a start and an end. */
import * as z from "zod";
import { HOUR_MS, MINUTE_MS } from "../platform/durations.ts";
import { ObserverError } from "../platform/errors.ts";
import { type DateWindow, toDateWindow } from "./params.ts";

/** No index reaches back further. */
const MAX_HOURS = 366 * 24;
const DEFAULT_HOURS = 24;
/** A window that ends this close to now also shows what is silent or hangs now. */
const NEARLY_NOW_MS = MINUTE_MS;

export const hours = z
  .number()
  .min(0.1, "must be at least 0.1")
  .max(MAX_HOURS, `must be at most ${MAX_HOURS}`)
  .optional()
  .describe(`Length of the window in hours, up to now; default ${DEFAULT_HOURS}`);

export type DigestWindowArguments = Partial<DateWindow> & { readonly hours?: number | undefined };

/**
 * @returns the window in epoch ms, end exclusive
 * @throws ObserverError `VALIDATION_ERROR` for a window that is reversed, too long, or in the future
 */
export function toDigestWindow({ hours, ...dates }: DigestWindowArguments, now: number) {
  const { startedAfter, startedBefore } = toDateWindow(dates.startedAfter, dates.startedBefore);
  if (hours !== undefined && startedAfter !== undefined)
    throw wrong("hours", "hours, or startedAfter, but not both", "Leave one of the two out.");
  const to = Math.min(now, startedBefore === undefined ? now : Date.parse(startedBefore));
  const length = (hours ?? DEFAULT_HOURS) * HOUR_MS;
  const from = startedAfter === undefined ? to - length : Date.parse(startedAfter);
  if (from >= to)
    throw wrong("startedAfter", "a time before now, and before startedBefore", "Choose an earlier time.");
  if (to - from > MAX_HOURS * HOUR_MS)
    throw wrong("startedAfter", `a window of at most ${MAX_HOURS} hours`, "Choose a later startedAfter.");
  return { window: { from, to }, isUntilNow: now - to <= NEARLY_NOW_MS, hasEnd: to < now };
}

const wrong = (field: string, expected: string, solution: string): ObserverError =>
  new ObserverError("VALIDATION_ERROR", "This window cannot be summarized.", {
    field,
    expected,
    solution,
  });
