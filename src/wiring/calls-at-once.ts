/**
 * How many calls of one user run at the same time in this isolate: what they take of its one thread, they take
 * from everybody. Further calls wait; so a loop of twenty goes on like a loop of four. Pure, but for the clock.
 *
 * Waiting is asking again: a promise that another request resolves would be the runtime's to break. A client
 * that goes away ends its request without a word, so that a place is given back by time: when clients give up, not
 * when the longest call can be over. A call that goes on has one more beside it then, which costs less than places
 * that are kept for nobody.
 */
import type { Clock } from "../platform/clock.ts";
import { CLIENT_PATIENCE_MS } from "../platform/time-limits.ts";

export const MAX_CALLS_AT_ONCE = 4;
/** Longest time that a call waits for its place. */
const MAX_WAIT_MS = 10_000;
const ASK_AGAIN_MS = 20;

/** Gives the place back; a second time it does nothing. */
export type Release = () => void;

export class CallsAtOnce {
  /** User → when each of the running calls began, by a number of its own. */
  readonly #running = new Map<string, Map<number, number>>();
  readonly #clock: Clock;
  #begun = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns undefined when no place was free for as long as a call may wait */
  async enter(userId: string): Promise<Release | undefined> {
    const deadline = this.#clock.now() + MAX_WAIT_MS;
    for (;;) {
      const release = this.#take(userId);
      if (release !== undefined || this.#clock.now() >= deadline) return release;
      await this.#clock.sleep(ASK_AGAIN_MS);
    }
  }

  #take(userId: string): Release | undefined {
    const now = this.#clock.now();
    const calls = this.#running.get(userId) ?? new Map<number, number>();
    for (const [call, began] of calls) if (now - began >= CLIENT_PATIENCE_MS) calls.delete(call);
    if (calls.size >= MAX_CALLS_AT_ONCE) return undefined;
    this.#begun += 1;
    const call = this.#begun;
    calls.set(call, now);
    this.#running.set(userId, calls);
    return () => this.#end(userId, calls, call);
  }

  #end(userId: string, calls: Map<number, number>, call: number): void {
    calls.delete(call);
    if (calls.size === 0 && this.#running.get(userId) === calls) this.#running.delete(userId);
  }
}
