/**
 * How many executions to ask for at once: as many as are about `TARGET_BYTES`, never more than the cap, half
 * as many when n8n fails. Pure.
 */

/** Larger pages are a little faster, and cost n8n more memory. */
export const MAX_PAGE_SIZE = 100;
const TARGET_BYTES = 8 * 1024 * 1024;

export class PageSize {
  #current = MAX_PAGE_SIZE;

  get current(): number {
    return this.#current;
  }

  /** A page was read. Grows to no more than double, since the next executions may be larger. */
  note(executions: number, bytes: number): void {
    if (executions === 0) return;
    const fitting = Math.floor(TARGET_BYTES / Math.max(1, bytes / executions));
    this.#current = Math.max(1, Math.min(MAX_PAGE_SIZE, fitting, this.#current * 2));
  }

  /** n8n failed at a page. */
  halve(): void {
    this.#current = Math.max(1, Math.floor(this.#current / 2));
  }
}
