/** Limits how long a call may send requests to n8n, and how many may be open at a time. */
import { timeoutOf } from "../n8n/back-off.ts";
import { isOutOfTime } from "../n8n/n8n-errors.ts";
import type { Clock } from "../platform/clock.ts";

export const REQUESTS_AT_ONCE = 4;

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

  get requestOptions(): { readonly timeoutMs: number } {
    return { timeoutMs: timeoutOf(this.#clock, this.deadline) };
  }

  *within<One>(all: Iterable<One>): Generator<One> {
    for (const one of all) {
      if (this.leftMs <= 0) return;
      yield one;
    }
  }

  /** Sends a request to n8n. @returns undefined when time ran out. @throws any other error of the request */
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
