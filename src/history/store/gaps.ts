/**
 * Ids for which no execution is known. n8n assigns ids in ascending order, so each id missing between two others was
 * once assigned: its execution was deleted, never saved, or is in no list. Pure.
 */

/** Ids from `low` up to `high`, both included. */
export interface IdRange {
  readonly high: string;
  readonly low: string;
}

export const LOWEST_ID = "1";
/** Higher than any id of n8n: its successor is SQLite's largest integer. */
export const HIGHEST_ID = String(2n ** 63n - 2n);

const sizeOf = ({ high, low }: IdRange): bigint => BigInt(high) - BigInt(low) + 1n;

export const singleIds = (ids: readonly string[]): IdRange[] => ids.map((id) => ({ high: id, low: id }));

export function countOf(ranges: readonly IdRange[]): number {
  return Number(ranges.reduce((sum, range) => sum + sizeOf(range), 0n));
}

/** The ranges minus these ids. Both are newest first, and the ranges do not touch. */
export function without(ranges: readonly IdRange[], ids: readonly string[]): IdRange[] {
  const left: IdRange[] = [];
  let next = 0;
  for (const range of ranges) {
    const low = BigInt(range.low);
    let high = BigInt(range.high);
    for (; next < ids.length; next += 1) {
      const id = BigInt(ids[next] ?? 0);
      if (id < low) break;
      if (id > high) continue;
      if (id < high) left.push({ high: String(high), low: String(id + 1n) });
      high = id - 1n;
    }
    if (high >= low) left.push({ high: String(high), low: range.low });
  }
  return left;
}

export function newestOf(ranges: readonly IdRange[], most: number): string[] {
  const ids: string[] = [];
  for (const { high, low } of ranges)
    for (let id = BigInt(high); id >= BigInt(low); id -= 1n) {
      if (ids.length === most) return ids;
      ids.push(String(id));
    }
  return ids;
}

export function oldestOf(ranges: readonly IdRange[], most: number): string[] {
  const ids: string[] = [];
  for (const { high, low } of ranges.toReversed())
    for (let id = BigInt(low); id <= BigInt(high) && ids.length < most; id += 1n) ids.push(String(id));
  return ids;
}

/** Groups ids, newest first, into ranges: ids at most `apart` from each other share one. */
export function rangesOf(ids: Iterable<string>, apart: number): IdRange[] {
  const ranges: { high: string; low: string }[] = [];
  for (const id of ids) {
    const last = ranges.at(-1);
    if (last !== undefined && BigInt(last.low) - BigInt(id) <= apart) last.low = id;
    else ranges.push({ high: id, low: id });
  }
  return ranges;
}

/** The id at a distance above another one, or below it if negative. */
export const idFrom = (id: string, distance: number): string => String(BigInt(id) + BigInt(distance));

/** The id this far below another one, but at least 1. */
export const belowOf = (id: string, distance: number): string =>
  BigInt(id) > BigInt(distance) ? idFrom(id, -distance) : "1";
