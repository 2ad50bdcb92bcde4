/** Admits a call to its user's place in the line of this isolate, or says that too many run already. */
import type { Clock } from "../platform/clock.ts";
import { systemClock } from "../platform/clock.ts";
import { ObserverError } from "../platform/errors.ts";
import { ConcurrentCalls, MAX_BESIDE_OTHERS, type Place } from "./concurrent-calls.ts";

/** @returns a function that waits for a place for a call, or throws `RATE_LIMITED` if none becomes free in time */
export function createAdmit(clock: Clock = systemClock): (userId: string) => Promise<Place> {
  const atOnce = new ConcurrentCalls(clock);
  return async (userId) => {
    const place = await atOnce.enter(userId);
    if (place !== undefined) return place;
    throw new ObserverError("RATE_LIMITED", "The limit of calls at the same time for one user is reached.", {
      retryAfter: 1,
      solution: `Call again when your other calls are answered: while other users are active, ${MAX_BESIDE_OTHERS} of a user's calls run at the same time.`,
    });
  };
}
