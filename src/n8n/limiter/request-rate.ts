/**
 * Limits how often something may begin: never more than `perMinute` times in any minute, whenever the minute begins.
 *
 * A quarter of them may begin at once, the rest are spread over the minute: an idle user may send a burst, but nobody
 * uses up the whole minute in its first second. No I/O. No clock: `now` is passed in, in milliseconds.
 */
import { MINUTE_MS } from "../../platform/durations.ts";

/** The share of a minute's requests that may begin at once. */
const BURST = 1 / 4;
/** In milliseconds; larger than the rounding errors of summed fractions. */
const ROUNDING_MS = 0.01;

export class RequestRate {
  readonly burst: number;
  /** Milliseconds until one is available again. Together with an initial burst, this exactly fills a minute. */
  readonly #interval: number;
  /** When the whole burst is available again. */
  #fullAt: number;
  #now = 0;

  /** @param perMinute 2 or more @param fullAt a former `fullAt` to continue from; by default nothing has begun yet */
  constructor(perMinute: number, fullAt = 0) {
    this.burst = Math.max(1, Math.floor(perMinute * BURST));
    this.#interval = MINUTE_MS / (perMinute - this.burst);
    this.#fullAt = fullAt;
  }

  /** Epoch ms when the whole burst is available again, as if nothing had begun before. */
  get fullAt(): number {
    return this.#fullAt;
  }

  /**
   * Milliseconds until the next may begin; 0 if it may begin now.
   * @param reserve how much of the burst must be left after it
   */
  waitMs(now: number, reserve = 0): number {
    const wait = this.#fullAfterNext(now) - (this.burst - reserve) * this.#interval - this.#now;
    return Math.max(0, Math.ceil(wait - ROUNDING_MS));
  }

  /** Counts a request that begins now. @throws RangeError when it may not begin yet */
  take(now: number): void {
    if (this.waitMs(now) > 0) throw new RangeError("The rate does not allow it yet.");
    this.#fullAt = this.#fullAfterNext(now);
  }

  /** A clock that jumps back by up to a minute counts as stopped; a larger jump is a correction and is followed. */
  #fullAfterNext(now: number): number {
    this.#now = this.#now - now > MINUTE_MS ? now : Math.max(this.#now, now);
    // With a correct clock, at most the whole burst is used up.
    this.#fullAt = Math.min(this.#fullAt, this.#now + this.burst * this.#interval);
    return Math.max(this.#fullAt, this.#now) + this.#interval;
  }
}
