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

const AT_ONCE: Slot = { pause: async () => {}, end: () => {} };

/** Where nobody else asks. */
export const takeSlotAtOnce: TakeSlot = async () => AT_ONCE;
