/** Leave to ask n8n, so that all users together never ask more than it is to bear. */
import { SLOT_REUSE_MS } from "../platform/time-limits.ts";

/** For one request, from its sending to the end of its answer. */
export interface Slot {
  /** n8n asks to be left alone for so many seconds. */
  pause(seconds: number): Promise<void>;
  /** Has to be called, whatever became of the request. */
  end(): void;
}

/**
 * Waits for a slot.
 * @param maxWaitMs longest time to wait, in milliseconds
 * @throws ObserverError `RATE_LIMITED` with `retryAfter` when it does not come
 */
export type TakeSlot = (maxWaitMs: number) => Promise<Slot>;

/** Leave for some requests that belong together, for which the limiter is asked once. */
export interface Turn {
  /** So many may be under way at the same time. */
  readonly slots: readonly [Slot, ...Slot[]];
  /** How many may be sent in all: in a slot whose request has ended, the next one. At least one for each slot. */
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

/** Where each request takes its own slot. */
export const turnsOf =
  (takeSlot: TakeSlot): TakeTurn =>
  async (maxWaitMs) => ({ slots: [await takeSlot(maxWaitMs)], requests: 1 });

const AT_ONCE: Slot = { pause: async () => {}, end: () => {} };

/** Where nobody else asks. */
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
  /** Requests that are still to come. */
  #expected = 0;
  #begun: Promise<void> | null = null;
  /** Of those that it was given, requests that nobody has sent yet. */
  #left = 0;
  #givenAt = 0;
  readonly #free: Slot[] = [];
  /** Each is told of a slot that is free, or that there is none for it. */
  readonly #waiting: ((slot: Slot | null) => void)[] = [];

  constructor(takeSlot: TakeSlot, takeTurn: TakeTurn) {
    this.#takeSlot = takeSlot;
    this.#takeTurn = takeTurn;
  }

  /** So many requests are going to be sent. Without it, and after them, each takes a slot of its own. */
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

  /** To be called once its requests have ended: gives back what nobody uses. What is used goes back by itself. */
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

  /** Null when it has no more. */
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
