/** Stretches of history in which every execution is known, by id. Pure. */
import { isNewer } from "../../platform/id-order.ts";
import type { IdRange } from "./gaps.ts";

export interface Stretch extends IdRange {
  /** True if n8n has nothing older. */
  readonly isBottom: boolean;
}

const isAtLeast = (id: string, other: string): boolean => !isNewer(other, id);

export const isInside = (id: string, { high, low }: IdRange): boolean =>
  isAtLeast(id, low) && isAtLeast(high, id);

/** The stretch that contains the id and reaches down furthest. */
export function stretchAt(id: string, stretches: readonly Stretch[]): Stretch | undefined {
  return stretches
    .filter((one) => isInside(id, one))
    .reduce<Stretch | undefined>(
      (lowest, one) => (lowest === undefined || isNewer(lowest.low, one.low) || one.isBottom ? one : lowest),
      undefined,
    );
}

/** The id down to which everything is known; the id itself when nothing is. */
export function knownDownTo(id: string, stretches: readonly Stretch[]): { low: string; isBottom: boolean } {
  let low = id;
  for (;;) {
    const next = stretchAt(low, stretches);
    if (next === undefined) return { low, isBottom: false };
    if (next.isBottom || next.low === low) return { low: next.low, isBottom: next.isBottom };
    low = next.low;
  }
}

export function union(stretches: readonly Stretch[]): Stretch {
  return stretches.reduce((all, one) => ({
    high: isNewer(one.high, all.high) ? one.high : all.high,
    low: isNewer(all.low, one.low) ? one.low : all.low,
    isBottom: all.isBottom || one.isBottom,
  }));
}
