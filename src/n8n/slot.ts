/** Slots at n8n, so that all users together never send it more requests than it can bear. */
import { SLOT_REUSE_MS } from "../platform/time-limits.ts";

export interface Slot {
  /** Tells the limiter that n8n asked for no requests for so many seconds. */
  pause(seconds: number): Promise<void>;
  /** Must be called, whatever became of the request. */
  end(): void;
}

/**
 * Waits for a slot.
 * @param maxWaitMs longest time to wait, in milliseconds
 * @throws ObserverError `RATE_LIMITED` with `retryAfter` when it does not come
 */
export type TakeSlot = (maxWaitMs: number) => Promise<Slot>;

/** Slots for requests that belong together, for which the limiter is asked once. */
interface Turn {
  /** As many requests as there are slots may be under way at the same time. */
  readonly slots: readonly [Slot, ...Slot[]];
  /** How many requests may be sent in all, at least one for each slot: the next one in a slot whose request has ended. */
  readonly requests: number;
}

/**
 * Waits for the first slot of a turn. It may be for fewer requests than were asked for: the others take their own.
 * @throws ObserverError `RATE_LIMITED`, as `TakeSlot` does
 */
export type TakeTurn = (maxWaitMs: number, requests: number) => Promise<Turn>;

export const slotsOf =
  (takeTurn: TakeTurn): TakeSlot =>
  async (maxWaitMs) =>
    (await takeTurn(maxWaitMs, 1)).slots[0];

/** Turns for a limiter that gives single slots only. */
export const turnsOf =
  (takeSlot: TakeSlot): TakeTurn =>
  async (maxWaitMs) => ({ slots: [await takeSlot(maxWaitMs)], requests: 1 });

const AT_ONCE: Slot = { pause: async () => {}, end: () => {} };

/** Slots without a limiter, for a client that nobody shares. */
export const takeSlotAtOnce: TakeSlot = async () => AT_ONCE;

/**
 * The slots of requests that are sent together: the limiter is asked once for all of them, which costs about as much
 * as a short request itself.
 *
 * Promises: never more requests at once than it has slots, nor more in all than it was given; whatever is more, or
 * comes too late for its slot, takes a slot of its own; once it has ended it holds none.
 */
export class SharedTurn {
  readonly #takeSlot: TakeSlot;
  readonly #takeTurn: TakeTurn;
  #expected = 0;
  #begun: Promise<void> | null = null;
  /** Requests that the turn still allows. */
  #left = 0;
  #givenAt = 0;
  readonly #free: Slot[] = [];
  /** Callers waiting for a free slot; null tells them that none will come. */
  readonly #waiting: ((slot: Slot | null) => void)[] = [];

  constructor(takeSlot: TakeSlot, takeTurn: TakeTurn) {
    this.#takeSlot = takeSlot;
    this.#takeTurn = takeTurn;
  }

  /** Announces how many requests will be sent. Without it, and after them, each takes a slot of its own. */
  expect(requests: number): void {
    this.#expected = requests;
  }

  readonly take: TakeSlot = async (maxWaitMs) => {
    if (this.#expected === 0) return await this.#takeSlot(maxWaitMs);
    const began = Date.now();
    this.#begun ??= this.#begin(maxWaitMs);
    this.#expected -= 1;
    await this.#begun;
    return (await this.#next()) ?? (await this.#takeSlot(Math.max(0, maxWaitMs - (Date.now() - began))));
  };

  /** Gives back the unused slots, and must be called once its requests have ended. Slots in use go back by themselves. */
  end(): void {
    this.#expected = 0;
    this.#left = 0;
    for (const slot of this.#free.splice(0)) slot.end();
    for (const tell of this.#waiting.splice(0)) tell(null);
  }

  async #begin(maxWaitMs: number): Promise<void> {
    try {
      const { slots, requests } = await this.#takeTurn(maxWaitMs, this.#expected);
      this.#givenAt = Date.now();
      this.#left = requests;
      this.#free.push(...slots);
    } catch (error) {
      // Who asks again asks for itself.
      this.#expected = 0;
      throw error;
    }
  }

  /** Null when the turn has no more slots. */
  async #next(): Promise<Slot | null> {
    if (this.#left === 0) return null;
    this.#left -= 1;
    const free = this.#free.shift();
    const slot = free ?? (await new Promise<Slot | null>((resolve) => this.#waiting.push(resolve)));
    return slot === null ? null : this.#lent(slot);
  }

  #lent(slot: Slot): Slot {
    let isLent = true;
    return {
      pause: async (seconds) => await slot.pause(seconds),
      end: () => {
        if (isLent) this.#takeBack(slot);
        isLent = false;
      },
    };
  }

  #takeBack(slot: Slot): void {
    if (Date.now() - this.#givenAt > SLOT_REUSE_MS) this.end();
    const next = this.#waiting.shift();
    if (next !== undefined) next(slot);
    // Somebody is going to send what is left, in this slot or in one that is free already.
    else if (this.#left > this.#free.length) this.#free.push(slot);
    else slot.end();
  }
}
