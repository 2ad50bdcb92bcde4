/** Finds the highest existing id with few requests: doubling steps up, then bisection. Resumes the last look. Pure. */
import { isNewer } from "../../platform/id-order.ts";
import { idFrom } from "../store/gaps.ts";
import type { QueueLook } from "../store/known-queue.ts";

export type QueueTop = Pick<QueueLook, "top" | "above" | "isEnd">;

export interface TopSearchOptions {
  /** The newest execution that has begun. */
  readonly newest: string;
  readonly lastLook: QueueTop | null;
  /** Null if n8n fails. */
  readonly exists: (id: string) => Promise<boolean | null>;
  readonly mayRequest: () => boolean;
}

/** Distances above the highest id that are checked, too: n8n deletes queued executions, and databases lose some ids. */
const DISTANCES_ABOVE_GAP = [2, 3, 4, 8];

export class TopSearch {
  readonly #options: TopSearchOptions;
  #low: string;
  #high: string | null = null;
  #step = 1n;

  constructor(options: TopSearchOptions) {
    this.#options = options;
    this.#low = options.newest;
  }

  async find(): Promise<QueueTop> {
    await this.#resume();
    for (;;) {
      await this.#climb();
      await this.#narrow();
      const next = await this.#nextAbove();
      if (typeof next !== "string") return { top: this.#low, above: this.#high, isEnd: next === null };
      [this.#low, this.#high, this.#step] = [next, null, 1n];
    }
  }

  async #resume(): Promise<void> {
    const { lastLook, newest } = this.#options;
    if (lastLook === null || !isNewer(lastLook.top, newest)) return;
    await this.#check(lastLook.top);
    if (lastLook.above === null) this.#step = BigInt(this.#low) - BigInt(newest) || 1n;
    else if (this.#high === null) await this.#check(lastLook.above);
  }

  async #climb(): Promise<void> {
    const base = BigInt(this.#low);
    for (; this.#high === null && this.#options.mayRequest(); this.#step *= 2n)
      await this.#check(String(base + this.#step));
  }

  async #narrow(): Promise<void> {
    while (this.#high !== null && isNewer(this.#high, idFrom(this.#low, 1)) && this.#options.mayRequest())
      await this.#check(String((BigInt(this.#low) + BigInt(this.#high)) / 2n));
  }

  /** @returns an existing id above the missing one; null if there seems to be none, undefined if that is not known */
  async #nextAbove(): Promise<string | null | undefined> {
    if (this.#high !== idFrom(this.#low, 1)) return undefined;
    for (const distance of DISTANCES_ABOVE_GAP) {
      const id = idFrom(this.#low, distance);
      const exists = this.#options.mayRequest() ? await this.#options.exists(id) : null;
      if (exists !== false) return exists === true ? id : undefined;
    }
    return null;
  }

  async #check(id: string): Promise<void> {
    const exists = await this.#options.exists(id);
    if (exists === true) this.#low = id;
    else if (exists === false) this.#high = id;
  }
}
