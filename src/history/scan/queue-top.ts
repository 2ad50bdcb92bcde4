/**
 * Finds the highest id that exists, from few questions: goes up in doubling steps until an id does not exist, then
 * halves. Goes on where the last look ended. Pure.
 */
import { idFrom } from "../store/gaps.ts";
import type { QueueLook } from "../store/known-queue.ts";
import { isNewer } from "../store/traced-execution.ts";

type Top = Pick<QueueLook, "top" | "above">;

export interface TopSearchOptions {
  /** The newest execution that has begun. */
  readonly newest: string;
  readonly lastLook: Top | null;
  /** True if ids just below the newest have no execution, as where successes are not saved: others may follow above. */
  readonly hasHoles: boolean;
  /** Null if n8n fails. */
  readonly exists: (id: string) => Promise<boolean | null>;
  readonly mayAsk: () => boolean;
}

/** How far above an id that does not exist others are looked for. */
const ABOVE_A_HOLE = [2, 4, 8];

export class TopSearch {
  readonly #options: TopSearchOptions;
  #low: string;
  #high: string | null = null;
  #step = 1n;

  constructor(options: TopSearchOptions) {
    this.#options = options;
    this.#low = options.newest;
  }

  async find(): Promise<Top> {
    await this.#resume();
    do {
      await this.#climb();
      await this.#narrow();
    } while (await this.#passHole());
    return { top: this.#low, above: this.#high };
  }

  async #resume(): Promise<void> {
    const { lastLook, newest } = this.#options;
    if (lastLook === null || !isNewer(lastLook.top, newest)) return;
    await this.#look(lastLook.top);
    if (lastLook.above === null) this.#step = BigInt(this.#low) - BigInt(newest) || 1n;
    else if (this.#high === null) await this.#look(lastLook.above);
  }

  async #climb(): Promise<void> {
    const base = BigInt(this.#low);
    for (; this.#high === null && this.#options.mayAsk(); this.#step *= 2n)
      await this.#look(String(base + this.#step));
  }

  async #narrow(): Promise<void> {
    while (this.#high !== null && isNewer(this.#high, idFrom(this.#low, 1)) && this.#options.mayAsk())
      await this.#look(String((BigInt(this.#low) + BigInt(this.#high)) / 2n));
  }

  /** @returns whether an id above one that does not exist exists after all */
  async #passHole(): Promise<boolean> {
    const { newest, hasHoles, exists, mayAsk } = this.#options;
    if (this.#low === newest && !hasHoles) return false;
    for (const distance of ABOVE_A_HOLE) {
      if (!mayAsk()) return false;
      const id = idFrom(this.#low, distance);
      if ((await exists(id)) !== true) continue;
      [this.#low, this.#high, this.#step] = [id, null, 1n];
      return true;
    }
    return false;
  }

  async #look(id: string): Promise<void> {
    const exists = await this.#options.exists(id);
    if (exists === true) this.#low = id;
    else if (exists === false) this.#high = id;
  }
}
