/** When executions were last requested by id. In memory only: losing it costs reads, not correctness. No clock. */
import { setNewest } from "../../platform/bounded-collections.ts";

/** More than are ever requested again. */
const MAX_HELD = 10_000;

export class SingleReadTimes {
  readonly #askedAt = new Map<string, number>();

  /** Epoch ms when it was last requested; 0 if unknown. */
  askedAt(id: string): number {
    return this.#askedAt.get(id) ?? 0;
  }

  /** @param now epoch ms of the request */
  note(id: string, now: number): void {
    setNewest(this.#askedAt, id, now, MAX_HELD);
  }

  /** Sorts those not requested for the longest time first. */
  longestAgoFirst(ids: readonly string[]): string[] {
    return ids.toSorted((a, b) => this.askedAt(a) - this.askedAt(b));
  }
}
