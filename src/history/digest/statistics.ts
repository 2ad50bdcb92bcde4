/** Decides what is usual and what is far from it; when in doubt, it reports nothing. Pure. */

/** The value that this part of all does not exceed (nearest rank); null for none. */
export function quantile(values: readonly number[], part: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? null;
}

export const median = (values: readonly number[]): number | null => quantile(values, 0.5);

export interface Share {
  readonly count: number;
  readonly of: number;
}

/** Fewer runs have no usual value: one in twenty of them is a single run. */
export const MIN_USUAL = 20;
const MIN_COUNT = 3;
const TIMES = 3;
/** Reached by chance once in some ten thousand looks, where runs are independent. */
const DEVIATIONS = 4;

/**
 * True when something happens more often than usual, beyond chance, counting that the usual share is itself known from
 * few runs only. (Mean and deviation of a Poisson count whose rate has a gamma distribution.)
 */
export function isUnusuallyMany(now: Share, usual: Share): boolean {
  if (usual.of < MIN_USUAL || now.count < MIN_COUNT) return false;
  const expected = (now.of * (usual.count + 1)) / (usual.of + 1);
  const deviation = Math.sqrt(expected + expected ** 2 / (usual.count + 1));
  return now.count >= TIMES * expected && now.count > expected + DEVIATIONS * deviation + 1;
}
