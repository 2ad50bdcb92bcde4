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
  readonly #steps: { readonly step: FrontierStep; low: string; isDone: boolean }[] = [];
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
    this.#steps.push({ step, low: step.low, isDone: false });
  }

  /** This step will not be done, and none of those that were begun after it counts. */
  giveUp(step: FrontierStep): void {
    const place = this.#steps.findIndex((one) => one.step === step);
    if (place !== -1) this.#steps.splice(place);
  }

  /**
   * @param low where the step's own is no execution: the lowest one above it
   * @returns the stretch of which all is known now and was not before; null when there is none
   */
  finish(step: FrontierStep, low: string = step.low): Stretch | null {
    const entry = this.#steps.find((one) => one.step === step);
    if (entry !== undefined) Object.assign(entry, { low, isDone: true });
    const [before, wasBottom] = [this.#low, this.#isBottom];
    while (this.#steps[0]?.isDone === true) {
      const done = this.#steps.shift();
      if (done === undefined) break;
      this.#low = done.low;
      this.#isBottom = done.step.isBottom;
    }
    const isSame = this.#low === before && this.#isBottom === wasBottom;
    if (this.#low === null || isSame || this.#settled === null) return null;
    const high = before === null ? this.#settled : lowerOf(before, this.#settled);
    // Above what has settled there is nothing to claim yet.
    if (lowerOf(high, this.#low) !== this.#low) return null;
    return { high, low: this.#low, isBottom: this.#isBottom };
  }
}
