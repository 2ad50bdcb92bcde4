/**
 * Runs one task for many items, a few at a time. Imports nothing.
 *
 * Promises: tasks start in the order of the items, at most `maxAtOnce` at a time, and results are in that order. As
 * soon as one fails, nothing more is taken or started; those under way are awaited, and then the first failure is
 * thrown. A caller that wants to stop early passes an iterable that ends.
 */
export async function mapConcurrently<One, Result>(
  all: Iterable<One> | AsyncIterable<One>,
  maxAtOnce: number,
  work: (one: One) => Promise<Result>,
): Promise<Result[]> {
  const iterator = Symbol.asyncIterator in all ? all[Symbol.asyncIterator]() : all[Symbol.iterator]();
  const results: Result[] = [];
  const failures: unknown[] = [];
  let begun = 0;
  const worker = async (): Promise<void> => {
    try {
      while (failures.length === 0) {
        const step = iterator.next();
        const next = step instanceof Promise ? await step : step;
        if (next.done === true || failures.length > 0) return;
        const place = begun;
        begun += 1;
        results[place] = await work(next.value);
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
