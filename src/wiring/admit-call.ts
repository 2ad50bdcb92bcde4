/**
 * Limits how many calls a user may make. The number is in wrangler.toml, under `[[ratelimits]]`:
 * Cloudflare counts in each of its locations, and the count cannot be read.
 *
 * Fails open: this only keeps one user from taking the Worker's time from the others. The limiter, which fails
 * closed, protects n8n, so a fault of this counter alone need not stop everybody.
 */

import type { Clock } from "../platform/clock.ts";
import { systemClock } from "../platform/clock.ts";
import { counted } from "../platform/counted.ts";
import { describeBug, ObserverError } from "../platform/errors.ts";
import { ConcurrentCalls, MAX_CONCURRENT_CALLS, type Place } from "./concurrent-calls.ts";

/** The period in wrangler.toml. After waiting this long a user may call again. */
export const CALL_LIMIT_PERIOD_SECONDS = 10;

/** Delays refusals: a tight loop of calls refused at once costs as much time as work. */
const REFUSED_AFTER_MS = 3_000;

type Log = (line: Readonly<Record<string, unknown>>) => void;

/**
 * @returns a function that admits a call and returns its place, or throws `RATE_LIMITED` if the user has made
 * too many calls, in total or at once
 */
export function createAdmit(
  limit: RateLimit,
  clock: Clock = systemClock,
): (userId: string, log: Log) => Promise<Place> {
  const atOnce = new ConcurrentCalls(clock);
  return async (userId, log) => {
    if (!(await isWithin(limit, userId, log))) {
      await clock.sleep(REFUSED_AFTER_MS);
      throw new ObserverError("RATE_LIMITED", "The limit of calls for one user is reached.", {
        retryAfter: CALL_LIMIT_PERIOD_SECONDS,
        solution: `Wait ${counted(CALL_LIMIT_PERIOD_SECONDS, "second")}, then call again, one call after the other.`,
      });
    }
    const place = await atOnce.enter(userId);
    if (place !== undefined) return place;
    throw new ObserverError("RATE_LIMITED", "The limit of calls at the same time for one user is reached.", {
      retryAfter: 1,
      solution: `Call again once the others are answered: ${MAX_CONCURRENT_CALLS} run at the same time.`,
    });
  };
}

async function isWithin(limit: RateLimit, userId: string, log: Log): Promise<boolean> {
  try {
    return (await limit.limit({ key: userId })).success;
  } catch (error) {
    log({ event: "call-limit-failed", ...describeBug(error) });
    return true;
  }
}
