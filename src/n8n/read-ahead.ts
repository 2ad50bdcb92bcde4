/**
 * Receives an answer ahead of its processing, so that the sender does not wait for the processing.
 *
 * Promises: pieces keep their order, and a failure comes after the pieces before it; at most `READ_AHEAD_BYTES` and one
 * piece are held; processing begins once that much is held, or when nothing has arrived for one turn of the event loop;
 * other tasks get a turn between two pieces.
 */

/** A turn of the event loop, taken between two pieces, costs a millisecond in workerd: as much as parsing 128 KiB. */
export const PIECE_BYTES = 512 * 1024;
/** A page of 250 typical executions. A trace holds at most three pages, and several traces share an isolate. */
const READ_AHEAD_BYTES = 2 * 1024 * 1024;
/** @returns false */
const nextTurn = async (): Promise<boolean> =>
  await new Promise((resolve) => setImmediate(() => resolve(false)));

/**
 * A caller that stops early must release the answer.
 * @param onReceived called once all pieces have arrived, or reading has failed
 */
export async function* readAhead(
  pieces: AsyncGenerator<Uint8Array>,
  onReceived: () => void,
): AsyncGenerator<Uint8Array> {
  const failures: unknown[] = [];
  let arrival = Promise.withResolvers<boolean>();
  const arriving = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await pieces.next();
          arrival.resolve(true);
          arrival = Promise.withResolvers();
          if (done !== true) return controller.enqueue(value);
        } catch (error) {
          // If the stream itself failed, it would discard the pieces that have arrived.
          failures.push(error);
        }
        controller.close();
        onReceived();
      },
    },
    { highWaterMark: READ_AHEAD_BYTES, size: ({ length }) => length },
  );
  for await (const piece of arriving) {
    // Receive whatever is arriving before processing it, so that the sender is free for the next request.
    for (let isArriving = true; isArriving; ) isArriving = await Promise.race([arrival.promise, nextTurn()]);
    yield piece;
  }
  if (failures.length > 0) throw failures[0];
}
