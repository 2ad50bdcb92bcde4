/**
 * How often something may begin: never more than so many times in any minute, wherever the minute begins.
 *
 * A quarter of them may come at once, the rest is spread over the minute: who has paused may hurry, and nobody
 * uses up a minute in its first second. No I/O. No clock: `now` is passed in, in milliseconds.
 */

const MINUTE_MS = 60_000;
/** The share of a minute's requests that may begin at once. */
const BURST = 1 / 4;
/** In milliseconds: rounding errors of sums of fractions are smaller. */
const HAIR = 0.01;

export class RequestRate {
  readonly burst: number;
  /** Milliseconds in which one comes back. With the burst at its beginning, a minute is filled up, and no more. */
  readonly #interval: number;
  /** When all of the burst will be back. */
  #fullAt: number;
  #now = 0;

  /** @param perMinute 2 or more @param fullAt where it goes on; by default nothing has begun yet */
  constructor(perMinute: number, fullAt = 0) {
    this.burst = Math.max(1, Math.floor(perMinute * BURST));
    this.#interval = MINUTE_MS / (perMinute - this.burst);
    this.#fullAt = fullAt;
  }

  /** Epoch ms when all of the burst is back, as if nothing had begun before. */
  get fullAt(): number {
    return this.#fullAt;
  }

  /** Milliseconds until the next may begin: 0 when it may now. */
  waitMs(now: number): number {
    const wait = this.#fullAfterNext(now) - this.burst * this.#interval - this.#now;
    return Math.max(0, Math.ceil(wait - HAIR));
  }

  /** Counts one that begins now. @throws RangeError when it may not yet */
  take(now: number): void {
    if (this.waitMs(now) > 0) throw new RangeError("The rate does not allow it yet.");
    this.#fullAt = this.#fullAfterNext(now);
  }

  /** A clock that goes back is taken to stand still. */
  #fullAfterNext(now: number): number {
    this.#now = Math.max(this.#now, now);
    return Math.max(this.#fullAt, this.#now) + this.#interval;
  }
}
