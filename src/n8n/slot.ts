/** Leave to ask n8n, so that all users together never ask more than it is to bear. */

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

/** A turn of one request is a slot. */
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
