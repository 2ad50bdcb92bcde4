/** Fits data into a token budget by ordered degradations, each showing less, or by pages. Pure. */
import { costsMore, estimateTokens } from "./token-estimate.ts";

/** Estimated tokens of a value as JSON. */
export const costOf = (value: unknown): number => estimateTokens(JSON.stringify(value));

/** Whether a value as JSON takes at most this many estimated tokens. */
export const fitsInto =
  (maxTokens: number) =>
  (value: unknown): boolean =>
    !costsMore(JSON.stringify(value), maxTokens);

export interface Degraded<Step, Shown> {
  readonly step: Step;
  readonly shown: Shown;
  /** False when even the last degradation shows too much. */
  readonly fits: boolean;
}

/** Applies the first degradation with which the result fits, otherwise the last. @param steps one or more, in order */
export function degrade<Step, Shown>(
  steps: readonly Step[],
  show: (step: Step) => Shown,
  fits: (shown: Shown) => boolean,
): Degraded<Step, Shown> {
  let last: Degraded<Step, Shown> | undefined;
  for (const step of steps) {
    const shown = show(step);
    last = { step, shown, fits: fits(shown) };
    if (last.fits) return last;
  }
  if (last === undefined) throw new TypeError("There is no degradation.");
  return last;
}

/** How many elements, from the first on, fit together. @param costOf in tokens */
export function countThatFits<One>(
  all: Iterable<One>,
  maxTokens: number,
  costOf: (one: One) => number,
): number {
  let left = maxTokens;
  let count = 0;
  for (const one of all) {
    left -= costOf(one);
    if (left < 0) break;
    count += 1;
  }
  return count;
}
