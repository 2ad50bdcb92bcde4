/** How long a call may go on asking n8n, and what there is no time for. */

import { timeoutOf } from "../n8n/back-off.ts";
import { isOutOfTime } from "../n8n/n8n-errors.ts";
import type { Clock } from "../platform/clock.ts";

export class TimeBudget {
  /** Epoch ms. */
  readonly deadline: number;
  readonly #clock: Clock;

  /** @param milliseconds from now on */
  constructor(clock: Clock, milliseconds: number) {
    this.#clock = clock;
    this.deadline = clock.now() + milliseconds;
  }

  get leftMs(): number {
    return this.deadline - this.#clock.now();
  }

  /** For the next request. */
  get requestOptions(): { readonly timeoutMs: number } {
    return { timeoutMs: timeoutOf(this.#clock, this.deadline) };
  }

  /** As long as there is time, one after another. */
  *within<One>(all: Iterable<One>): Generator<One> {
    for (const one of all) {
      if (this.leftMs <= 0) return;
      yield one;
    }
  }

  /** Asks, unless that takes longer than there is time: then undefined. @throws whatever else it fails with */
  async tryOne<Result>(
    ask: (options: { readonly timeoutMs: number }) => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      return await ask(this.requestOptions);
    } catch (error) {
      if (this.leftMs <= 0 && isOutOfTime(error)) return undefined;
      throw error;
    }
  }
}
