/**
 * When executions were last requested by id. In memory only: losing it costs reads, not correctness. No I/O, no clock.
 */

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
    // Moves it to the end, because those not requested for the longest time are removed first.
    this.#askedAt.delete(id);
    this.#askedAt.set(id, now);
    const [oldest] = this.#askedAt.keys();
    if (this.#askedAt.size > MAX_HELD && oldest !== undefined) this.#askedAt.delete(oldest);
  }

  /** Sorts those not requested for the longest time first. */
  longestAgoFirst(ids: readonly string[]): string[] {
    return ids.toSorted((a, b) => this.askedAt(a) - this.askedAt(b));
  }
}
