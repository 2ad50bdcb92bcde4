/**
 * Maps items with bounded concurrency. Imports nothing.
 *
 * Promises: tasks start in the order of the items, at most `maxAtOnce` at a time, and results have that order. After a
 * failure no further item is taken; tasks in flight are awaited, then the first failure is thrown. To stop early, pass
 * an iterable that ends.
 */
export async function mapConcurrently<One, Result>(
  all: Iterable<One> | AsyncIterable<One>,
  maxAtOnce: number,
  work: (one: One) => Promise<Result>,
): Promise<Result[]> {
  const iterator = Symbol.asyncIterator in all ? all[Symbol.asyncIterator]() : all[Symbol.iterator]();
  const results: Result[] = [];
  const failures: unknown[] = [];
  let started = 0;
  const worker = async (): Promise<void> => {
    try {
      while (failures.length === 0) {
        const step = iterator.next();
        const next = step instanceof Promise ? await step : step;
        if (next.done === true || failures.length > 0) return;
        const index = started;
        started += 1;
        results[index] = await work(next.value);
      }
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(Array.from({ length: maxAtOnce }, worker));
  if (failures.length === 0) return results;
  await iterator.return?.();
  throw failures[0];
}
