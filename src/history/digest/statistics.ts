/** What is usual, and what is far from it. Everything errs to silence. Pure. */

/** The value that so great a part of all does not exceed (nearest rank); null of none. */
export function quantile(values: readonly number[], part: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? null;
}

export const median = (values: readonly number[]): number | null => quantile(values, 0.5);

/** So many of so many. */
export interface Share {
  readonly count: number;
  readonly of: number;
}

/** Fewer runs have no "usual": one in twenty of them is one. */
export const MIN_USUAL = 20;
/** Two may be chance whatever is usual. */
const MIN_COUNT = 3;
/** How many times what is expected. */
const TIMES = 3;
/** How many standard deviations above it: once in some ten thousand looks, where runs do not hang together. */
const DEVIATIONS = 4;

/**
 * True when it happens much more often than it usually does: beyond what chance makes of so many runs, counting that
 * the usual share is itself only known from so many. (The mean and deviation are those of a Poisson count whose rate
 * has a gamma distribution.)
 */
export function isUnusuallyMany(now: Share, usual: Share): boolean {
  if (usual.of < MIN_USUAL || now.count < MIN_COUNT) return false;
  const expected = (now.of * (usual.count + 1)) / (usual.of + 1);
  const deviation = Math.sqrt(expected + expected ** 2 / (usual.count + 1));
  return now.count >= TIMES * expected && now.count > expected + DEVIATIONS * deviation + 1;
}
