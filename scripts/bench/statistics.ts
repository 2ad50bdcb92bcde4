/** The few statistics that the benchmarks need. Pure. */

/** @throws Error when there are no values */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error("There is no median of nothing.");
  return (lower + upper) / 2;
}

/** By nearest rank. @throws Error when there are no values */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (value === undefined) throw new Error("There is no percentile of nothing.");
  return value;
}

export function medianOf<Value>(values: readonly Value[], take: (value: Value) => number): number {
  return median(values.map(take));
}

export const milliseconds = (one: { readonly milliseconds: number }): number => one.milliseconds;
