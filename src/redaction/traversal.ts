/**
 * The order in which the parts of a value are redacted: depth first, with and without pauses, so that marks always get
 * the same numbers.
 */

export interface Traversal {
  /** Runs `step` for each index, possibly later, but in this order and before the enclosing traversal continues. */
  each(length: number, step: (index: number) => void): void;
}

export const atOnce: Traversal = {
  each(length, step) {
    for (let index = 0; index < length; index += 1) step(index);
  },
};

interface Frame {
  readonly length: number;
  readonly step: (index: number) => void;
  next: number;
}

/** Queues the steps and runs them only when `advance` is called. */
export class PausableTraversal implements Traversal {
  readonly #frames: Frame[] = [];

  each(length: number, step: (index: number) => void): void {
    if (length > 0) this.#frames.push({ length, step, next: 0 });
  }

  /** Continues until everything is done or `isDue` asks for a pause. True when everything is done. */
  advance(isDue: () => boolean): boolean {
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      if (frame.next >= frame.length) {
        this.#frames.pop();
        continue;
      }
      frame.next += 1;
      frame.step(frame.next - 1);
      if (isDue()) return false;
    }
    return true;
  }
}
