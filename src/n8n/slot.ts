/** Slots at n8n, so that all users together never send it more requests than it can handle. */
import { SLOT_REUSE_MS } from "../platform/time-limits.ts";

export interface Slot {
  /** Reports to the limiter that n8n asked for a pause of this many seconds. */
  pause(seconds: number): Promise<void>;
  /** Must be called, whatever happened to the request. */
  end(): void;
}

/**
 * Waits for a slot.
 * @param maxWaitMs longest time to wait, in milliseconds; the limiter mostly refuses earlier
 * @throws ObserverError `RATE_LIMITED` with `retryAfter` when none is granted in time
 */
export type TakeSlot = (maxWaitMs: number) => Promise<Slot>;

/** Slots for requests that belong together, granted by one call of the limiter. */
interface Turn {
  /** One request per slot may be in flight at the same time. */
  readonly slots: readonly [Slot, ...Slot[]];
  /** How many requests may be sent in all, at least one per slot; further ones reuse a slot whose request has ended. */
  readonly requests: number;
}

/**
 * Waits for the first slot of a turn. It may allow fewer requests than requested: the others take their own slots.
 * @throws ObserverError `RATE_LIMITED`, as `TakeSlot` does
 */
export type TakeTurn = (maxWaitMs: number, requests: number) => Promise<Turn>;

export const slotsOf =
  (takeTurn: TakeTurn): TakeSlot =>
  async (maxWaitMs) =>
    (await takeTurn(maxWaitMs, 1)).slots[0];

/** Turns for a limiter that grants only single slots. */
export const turnsOf =
  (takeSlot: TakeSlot): TakeTurn =>
  async (maxWaitMs) => ({ slots: [await takeSlot(maxWaitMs)], requests: 1 });

const UNLIMITED: Slot = { pause: async () => {}, end: () => {} };

/**
 * Limits how many of these slots are held at the same time; further requests wait in order of arrival.
 * @param most called again whenever a slot is taken or ends; at least 1
 */
export function atMost(most: () => number, takeSlot: TakeSlot): TakeSlot {
  const waiting: (() => void)[] = [];
  let held = 0;
  const wakeWaiting = (): void => {
    while (held < most()) {
      const next = waiting.shift();
      if (next === undefined) return;
      held += 1;
      next();
    }
  };
  const release = (): void => {
    held -= 1;
    wakeWaiting();
  };
  return async (maxWaitMs) => {
    const began = Date.now();
    if (waiting.length === 0 && held < most()) held += 1;
    else
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        wakeWaiting();
      });
    try {
      const slot = await takeSlot(Math.max(0, maxWaitMs - (Date.now() - began)));
      return endedOnce(slot, () => {
        slot.end();
        release();
      });
    } catch (error) {
      release();
      throw error;
    }
  };
}

/** The same slot, which may be ended more than once. */
export function endedOnce(slot: Slot, end = (): void => slot.end()): Slot {
  let isHeld = true;
  return {
    pause: async (seconds) => await slot.pause(seconds),
    end: () => {
      if (isHeld) end();
      isHeld = false;
    },
  };
}

/** Slots without a limiter, for a client that nobody shares. */
export const takeSlotAtOnce: TakeSlot = async () => UNLIMITED;

/**
 * The slots of requests that are sent together: the limiter is called once for all of them, because a call costs
 * about as much as a short request itself.
 *
 * Promises: never more requests at once than it has slots, nor more in all than it was granted; any further or late
 * request takes a slot of its own; once the turn has ended, it holds no slot.
 */
export class SharedTurn {
  readonly #takeSlot: TakeSlot;
  readonly #takeTurn: TakeTurn;
  #expected = 0;
  #onTaken = (): void => {};
  #begun: Promise<void> | null = null;
  /** Requests that the turn still allows. */
  #left = 0;
  #grantedAt = 0;
  readonly #free: Slot[] = [];
  /** Callers waiting for a free slot; null means that none will become free. */
  readonly #waiting: ((slot: Slot | null) => void)[] = [];

  constructor(takeSlot: TakeSlot, takeTurn: TakeTurn) {
    this.#takeSlot = takeSlot;
    this.#takeTurn = takeTurn;
  }

  /**
   * Announces how many requests will be sent. Any request beyond that number takes a slot of its own.
   * @param onTaken called once the turn has its slots, or was refused
   */
  expect(requests: number, onTaken = (): void => {}): void {
    this.#expected = requests;
    this.#onTaken = onTaken;
  }

  readonly take: TakeSlot = async (maxWaitMs) => {
    if (this.#expected === 0) return await this.#takeSlot(maxWaitMs);
    const began = Date.now();
    this.#begun ??= this.#begin(maxWaitMs);
    this.#expected -= 1;
    await this.#begun;
    return (await this.#next()) ?? (await this.#takeSlot(Math.max(0, maxWaitMs - (Date.now() - began))));
  };

  /** Returns the unused slots; must be called once the requests have ended. Slots in use are returned by themselves. */
  end(): void {
    this.#expected = 0;
    this.#left = 0;
    for (const slot of this.#free.splice(0)) slot.end();
    for (const resolve of this.#waiting.splice(0)) resolve(null);
  }

  async #begin(maxWaitMs: number): Promise<void> {
    try {
      const { slots, requests } = await this.#takeTurn(maxWaitMs, this.#expected);
      this.#grantedAt = Date.now();
      this.#left = requests;
      this.#free.push(...slots);
    } catch (error) {
      // A request that is retried takes its own slot.
      this.#expected = 0;
      throw error;
    } finally {
      this.#onTaken();
    }
  }

  /** Null when the turn has no more slots. */
  async #next(): Promise<Slot | null> {
    if (this.#left === 0) return null;
    this.#left -= 1;
    const free = this.#free.shift();
    const slot = free ?? (await new Promise<Slot | null>((resolve) => this.#waiting.push(resolve)));
    return slot === null ? null : endedOnce(slot, () => this.#reuseOrEnd(slot));
  }

  #reuseOrEnd(slot: Slot): void {
    if (Date.now() - this.#grantedAt > SLOT_REUSE_MS) this.end();
    const next = this.#waiting.shift();
    if (next !== undefined) next(slot);
    // More requests are still to be sent than there are free slots for them.
    else if (this.#left > this.#free.length) this.#free.push(slot);
    else slot.end();
  }
}
