/**
 * Limits how many calls of one user run at the same time in this isolate: they share its single thread with
 * everybody. Further calls wait, so a loop of twenty runs like a loop of four. No I/O except the clock.
 *
 * A call that waits for something to happen in n8n is idle, so it gives its place to the user's other calls
 * until it checks again. At most `MAX_PAUSED_CALLS` of a user's calls do so; the others keep their places.
 *
 * Waiting is polling: the runtime may cancel a promise that another request resolves. A client
 * that disconnects ends its request silently, so places expire when clients give up, not
 * when the longest call can be over. A call still running then shares the isolate with one extra call, which costs less
 * than places held for nobody.
 */
import type { Clock } from "../platform/clock.ts";
import { CLIENT_PATIENCE_MS } from "../platform/time-limits.ts";

export const MAX_CONCURRENT_CALLS = 4;
/** Additional calls of a user that may be paused. */
export const MAX_PAUSED_CALLS = 8;
/** How long a call waits for a place. */
const MAX_WAIT_MS = 10_000;
const ASK_AGAIN_MS = 20;

/** The place of one running call. */
export interface Place {
  /** Releases the place; idempotent. */
  readonly leave: () => void;
  /** Sleeps without the place and takes it again afterwards, or continues without one if none is free in time. */
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** User → call number → when the call began. */
class Calls {
  readonly #most: number;
  readonly #began = new Map<string, Map<number, number>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** @returns false if there are too many already */
  add(userId: string, call: number, now: number): boolean {
    const calls = this.#began.get(userId) ?? new Map<number, number>();
    for (const [other, began] of calls) if (now - began >= CLIENT_PATIENCE_MS) calls.delete(other);
    if (calls.size >= this.#most) return false;
    calls.set(call, now);
    this.#began.set(userId, calls);
    return true;
  }

  delete(userId: string, call: number): void {
    const calls = this.#began.get(userId);
    calls?.delete(call);
    if (calls?.size === 0) this.#began.delete(userId);
  }
}

export class ConcurrentCalls {
  readonly #running = new Calls(MAX_CONCURRENT_CALLS);
  readonly #paused = new Calls(MAX_PAUSED_CALLS);
  readonly #clock: Clock;
  #calls = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns undefined if no place became free for as long as a call may wait */
  async enter(userId: string): Promise<Place | undefined> {
    this.#calls += 1;
    const call = this.#calls;
    if (!(await this.#take(userId, call))) return undefined;
    return {
      leave: () => this.#running.delete(userId, call),
      pause: async (milliseconds) => await this.#pause(userId, call, milliseconds),
    };
  }

  async #take(userId: string, call: number): Promise<boolean> {
    const deadline = this.#clock.now() + MAX_WAIT_MS;
    for (;;) {
      const isTaken = this.#running.add(userId, call, this.#clock.now());
      if (isTaken || this.#clock.now() >= deadline) return isTaken;
      await this.#clock.sleep(ASK_AGAIN_MS);
    }
  }

  async #pause(userId: string, call: number, milliseconds: number): Promise<void> {
    if (!this.#paused.add(userId, call, this.#clock.now())) return await this.#clock.sleep(milliseconds);
    this.#running.delete(userId, call);
    try {
      await this.#clock.sleep(milliseconds);
    } finally {
      this.#paused.delete(userId, call);
    }
    await this.#take(userId, call);
  }
}
