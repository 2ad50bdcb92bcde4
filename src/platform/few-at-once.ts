/** n8n is spared: so many requests at the same time, and no more. */
const MAX_AT_ONCE = 4;

/** Does the work for each, in order, few at the same time. Fails as soon as one fails. */
export async function fewAtOnce<One>(all: Iterable<One>, work: (one: One) => Promise<void>): Promise<void> {
  const waiting = all[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    // All of them take from the same list.
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, worker));
}
