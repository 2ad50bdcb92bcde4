/**
 * When executions were last asked for by their ids, in memory only: losing it costs readings, and claims nothing. No I/O,
 * and no clock.
 */

/** More than are ever asked for again. */
const MAX_HELD = 10_000;

export class SingleReadTimes {
  readonly #askedAt = new Map<string, number>();

  /** Epoch ms of when it was last read, or was not there; 0 if that is not known. */
  askedAt(id: string): number {
    return this.#askedAt.get(id) ?? 0;
  }

  /** @param now epoch ms when it was asked for */
  note(id: string, now: number): void {
    // Moves it to the end, since those not asked for for longest are removed first.
    this.#askedAt.delete(id);
    this.#askedAt.set(id, now);
    const [oldest] = this.#askedAt.keys();
    if (this.#askedAt.size > MAX_HELD && oldest !== undefined) this.#askedAt.delete(oldest);
  }

  /** Those that were not read for longest come first. */
  longestAgoFirst(ids: readonly string[]): string[] {
    return ids.toSorted((a, b) => this.askedAt(a) - this.askedAt(b));
  }
}
