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

export const shareOf = <One>(all: readonly One[], isCounted: (one: One) => boolean): Share => ({
  count: all.filter(isCounted).length,
  of: all.length,
});

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

/**
 * How far it is beyond chance that something with this chance happened so often: the negative logarithm of a bound
 * (Chernoff) on its probability. Independent ones add up. 0 where it happened no oftener than expected.
 */
export function surprise({ count, of }: Share, chance: number): number {
  const part = count / of;
  if (of === 0 || part <= chance) return 0;
  const rest = part === 1 ? 0 : (1 - part) * Math.log((1 - part) / (1 - chance));
  return of * (part * Math.log(part / chance) + rest);
}

/**
 * The chance that so many of a sample, or more, are of a kind, where it is taken at random from all (hypergeometric). The
 * sample is no more than half of all, and so is the kind.
 */
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

/** The chance that was seen; never nothing, since what was never seen may be. */
export const chanceOf = ({ count, of }: Share): number =>
  Math.max(0.01, (count + 1) / (of + 10), of === 0 ? 0 : count / of);
