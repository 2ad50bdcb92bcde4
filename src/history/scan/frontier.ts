/**
 * How far down history a scan has come without a gap, while its pages end in any order. Pure.
 */
import type { Stretch } from "../store/stretches.ts";
import { lowerOf } from "../store/traced-execution.ts";

/** A part of the way down. */
export interface FrontierStep {
  /** Everything down to this id is known once the step is done. */
  readonly low: string;
  /** True when there is nothing below. */
  readonly isBottom: boolean;
}

export class Frontier {
  readonly #steps: { readonly step: FrontierStep; isDone: boolean }[] = [];
  #low: string | null = null;
  #isBottom = false;
  #settled: string | null = null;

  /** Everything down to this id is known; null when nothing is. */
  get low(): string | null {
    return this.#low;
  }

  /** True when there is nothing below. */
  get isBottom(): boolean {
    return this.#isBottom;
  }

  /** Only what is no newer than this can be claimed: executions that have just begun may still be missing. */
  settleAt(id: string): void {
    this.#settled ??= id;
  }

  /** The next step down; steps are taken in order, and may be done in any. */
  begin(step: FrontierStep): void {
    this.#steps.push({ step, isDone: false });
  }

  /** @returns the stretch of which all is known now and was not before; null when there is none */
  finish(step: FrontierStep): Stretch | null {
    const entry = this.#steps.find((one) => one.step === step);
    if (entry !== undefined) entry.isDone = true;
    const before = this.#low;
    while (this.#steps[0]?.isDone === true) {
      const done = this.#steps.shift()?.step;
      if (done === undefined) break;
      this.#low = done.low;
      this.#isBottom = done.isBottom;
    }
    if (this.#low === null || this.#low === before || this.#settled === null) return null;
    const high = before === null ? this.#settled : lowerOf(before, this.#settled);
    // Above what has settled there is nothing to claim yet.
    if (lowerOf(high, this.#low) !== this.#low) return null;
    return { high, low: this.#low, isBottom: this.#isBottom };
  }
}
