/** Decides what is usual and what is unusual; when in doubt, it reports nothing. Pure. */

/** The quantile by nearest rank; null if there are no values. */
export function quantile(values: readonly number[], part: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? null;
}

export const median = (values: readonly number[]): number | null => quantile(values, 0.5);

export interface Share {
  readonly count: number;
  readonly of: number;
}

export const shareOf = <One>(all: readonly One[], isCounted: (one: One) => boolean): Share => ({
  count: all.filter(isCounted).length,
  of: all.length,
});

/** Fewer runs have no usual value: one in twenty of them is a single run. */
export const MIN_USUAL = 20;
const MIN_COUNT = 3;
const TIMES = 3;
/** Exceeded by chance about once in ten thousand cases, if runs are independent. */
const DEVIATIONS = 4;

/**
 * True if something happens more often than usual, beyond chance, allowing for a usual share that is itself known from
 * few runs only. (Mean and deviation of a Poisson count whose rate has a gamma distribution.)
 */
export function isUnusuallyMany(now: Share, usual: Share): boolean {
  if (usual.of < MIN_USUAL || now.count < MIN_COUNT) return false;
  const expected = (now.of * (usual.count + 1)) / (usual.of + 1);
  const deviation = Math.sqrt(expected + expected ** 2 / (usual.count + 1));
  return now.count >= TIMES * expected && now.count > expected + DEVIATIONS * deviation + 1;
}

/**
 * How unlikely it is that something with this chance happened this often: the negative logarithm of a (Chernoff) bound
 * on the probability. Values of independent events add up. 0 if it happened no more often than expected.
 */
export function surprise({ count, of }: Share, chance: number): number {
  const part = count / of;
  if (of === 0 || part <= chance) return 0;
  const rest = part === 1 ? 0 : (1 - part) * Math.log((1 - part) / (1 - chance));
  return of * (part * Math.log(part / chance) + rest);
}

/** The chance of at least this many in a random sample (hypergeometric). Sample and kind are at most half of all. */
export function chanceOfAtLeast({ count, of: sample }: Share, all: Share): number {
  const [few, many] = sample < all.count ? [sample, all.count] : [all.count, sample];
  let chance = 1;
  for (let one = 0; one < few; one += 1) chance *= (all.of - many - one) / (all.of - one);
  let below = 0;
  for (let found = 0; found < count; found += 1) {
    below += chance;
    chance *= (few - found) * (many - found);
    chance /= (found + 1) * (all.of - few - many + found + 1);
  }
  return Math.max(0, 1 - below);
}

/** The observed chance, never 0: what was never seen may still happen. */
export const chanceOf = ({ count, of }: Share): number =>
  Math.max(0.01, (count + 1) / (of + 10), of === 0 ? 0 : count / of);
