/**
 * How many executions there are from an id on, without a walk over all of them: counted by ranges of ids, in memory
 * alone. Pure.
 */

/** Ids of one range. */
const RANGE = 1_024n;

const rangeOf = (id: string): bigint => BigInt(id) / RANGE;

export class ExecutionCounts {
  readonly #ranges = new Map<bigint, number>();

  /** @param ids of all executions that there are */
  constructor(ids: Iterable<string>) {
    this.add(ids);
  }

  add(ids: Iterable<string>): void {
    for (const id of ids) this.#change(id, 1);
  }

  remove(ids: Iterable<string>): void {
    for (const id of ids) this.#change(id, -1);
  }

  /**
   * @param id the lowest that counts
   * @param countBetween how many there are between two ids, both included
   */
  from(id: string, countBetween: (low: string, high: string) => number): number {
    const first = rangeOf(id);
    const whole = [...this.#ranges].reduce((sum, [range, count]) => (range > first ? sum + count : sum), 0);
    return whole + countBetween(id, String((first + 1n) * RANGE - 1n));
  }

  #change(id: string, by: 1 | -1): void {
    const range = rangeOf(id);
    this.#ranges.set(range, (this.#ranges.get(range) ?? 0) + by);
  }
}
