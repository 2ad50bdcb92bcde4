/** Counts each key in fixed windows. In memory, and only for the current window. */

export interface CounterLimit {
  /** Name of the limit: each limit counts separately. */
  readonly name: string;
  readonly limit: number;
  /** In seconds. */
  readonly period: number;
}

interface Window {
  readonly number: number;
  readonly counts: Map<string, number>;
}

/** @returns a function that counts one, and says whether it is within the limit; `now` in milliseconds since 1970 */
export function createCounter(): (limit: CounterLimit, key: string, now: number) => boolean {
  const windows = new Map<string, Window>();
  return ({ name, limit, period }, key, now) => {
    const number = Math.floor(now / (period * 1_000));
    const known = windows.get(name);
    const window = known?.number === number ? known : { number, counts: new Map<string, number>() };
    windows.set(name, window);
    const count = window.counts.get(key) ?? 0;
    if (count >= limit) return false;
    window.counts.set(key, count + 1);
    return true;
  };
}
