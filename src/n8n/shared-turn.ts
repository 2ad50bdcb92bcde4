/**
 * The slots of requests that are sent together: the limiter is asked once for all of them, which costs about as much
 * as a short request itself.
 *
 * Promises: never more requests at once than it has slots, nor more in all than it was given; whatever is more, or
 * comes too late for its slot, takes a slot of its own; once it has ended it holds none.
 */
import { SLOT_REUSE_MS } from "../platform/time-limits.ts";
import type { Slot, TakeSlot, TakeTurn } from "./slot.ts";

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
