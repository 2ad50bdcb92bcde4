/** The load on a server: the most requests at once, and the most in any minute. */
import type { ServerResponse } from "node:http";

const MINUTE_MS = 60_000;

export class LoadCounter {
  /** The arrival of each request, epoch ms. */
  readonly #times: number[] = [];
  #open = 0;
  #highestOpen = 0;

  /** Counts a request as open until its answer is sent or its client disconnects. */
  begin(response: ServerResponse): void {
    this.#times.push(Date.now());
    this.#open += 1;
    this.#highestOpen = Math.max(this.#highestOpen, this.#open);
    response.once("close", () => {
      this.#open -= 1;
    });
  }

  get requests(): number {
    return this.#times.length;
  }

  get highestConcurrency(): number {
    return this.#highestOpen;
  }

  /** The most requests in any sliding minute. */
  get mostInAMinute(): number {
    let first = 0;
    let most = 0;
    for (const [index, time] of this.#times.entries()) {
      while (time - (this.#times[first] ?? time) >= MINUTE_MS) first += 1;
      most = Math.max(most, index - first + 1);
    }
    return most;
  }
}
