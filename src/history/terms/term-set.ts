/** The distinct terms of one execution, as far as there is room for them. */
import { MAX_TERMS } from "./term-filter.ts";
import type { Term } from "./term-hasher.ts";

const FIRST_SLOTS = 512;

/** Open addressing, at most half full. Two zeros stand for an empty slot. */
export class TermSet {
  #slots = new Int32Array(FIRST_SLOTS * 2);
  #count = 0;

  /** More than `MAX_TERMS` when there are too many; then no more are counted. */
  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count > MAX_TERMS;
  }

  add({ high, low }: Term): void {
    if (this.isFull || !this.#put(high, low)) return;
    this.#count += 1;
    if (this.#count * 4 > this.#slots.length) this.#grow();
  }

  /** @returns false when it was there */
  #put(high: number, low: number): boolean {
    const slots = this.#slots;
    const last = slots.length - 2;
    let at = (high ^ low) & last;
    while (slots[at] !== 0 || slots[at + 1] !== 0) {
      if (slots[at] === high && slots[at + 1] === low) return false;
      at = (at + 2) & last;
    }
    slots[at] = high;
    slots[at + 1] = low;
    return true;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(before.length * 2);
    for (let at = 0; at < before.length; at += 2) {
      const [high = 0, low = 0] = [before[at], before[at + 1]];
      if (high !== 0 || low !== 0) this.#put(high, low);
    }
  }

  *[Symbol.iterator](): Generator<Term, void> {
    for (let at = 0; at < this.#slots.length; at += 2) {
      const [high = 0, low = 0] = [this.#slots[at], this.#slots[at + 1]];
      if (high !== 0 || low !== 0) yield { high, low };
    }
  }
}
