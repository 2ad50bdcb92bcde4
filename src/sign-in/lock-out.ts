/**
 * The policy of the passphrase lock-out. No I/O. No clock: `now` is passed in.
 *
 * Ten wrong tries lock sign-in by passphrase for 15 minutes, for everybody, since a guesser can change address. That
 * leaves about a thousand guesses a day, far too few against the shortest passphrase that the settings accept. Tries
 * are forgotten an hour after the last one, so that typos do not add up over weeks.
 *
 * The price: anyone can keep the owner from signing in *again* for a while. Clients that are signed in still work and
 * refresh, and service tokens need no passphrase.
 */
import { HOUR_MS, MINUTE_MS } from "../platform/durations.ts";

export const MAXIMUM_TRIES = 10;
export const LOCKED_FOR_MS = 15 * MINUTE_MS;
export const TRIES_FORGOTTEN_AFTER_MS = HOUR_MS;

export interface TryRecord {
  readonly tries: number;
  readonly lastTryAt: number;
}

export type Admission =
  /** The try may be compared once `record` is stored. */
  | { readonly admitted: true; readonly record: TryRecord; readonly triesLeft: number }
  | { readonly admitted: false; readonly retryAfter: number };

/** Counts one more try, or refuses it. Store `record` before comparing anything. */
export function admitTry(previous: TryRecord | undefined, now: number): Admission {
  const tries = countedTries(previous, now);
  if (tries >= MAXIMUM_TRIES) return { admitted: false, retryAfter: lockedSeconds(previous, now) };
  const record = { tries: tries + 1, lastTryAt: now };
  return { admitted: true, record, triesLeft: MAXIMUM_TRIES - record.tries };
}

/** Seconds until the next try is admitted; zero if it would be now. */
export function lockedSeconds(record: TryRecord | undefined, now: number): number {
  if (record === undefined || countedTries(record, now) < MAXIMUM_TRIES) return 0;
  return Math.ceil((record.lastTryAt + LOCKED_FOR_MS - now) / 1000);
}

/** After a lock, counting starts from zero: the owner gets all tries back, and a guesser gains no more than that. */
function countedTries(record: TryRecord | undefined, now: number): number {
  if (record === undefined) return 0;
  const lasts = record.tries >= MAXIMUM_TRIES ? LOCKED_FOR_MS : TRIES_FORGOTTEN_AFTER_MS;
  return now < record.lastTryAt + lasts ? record.tries : 0;
}
