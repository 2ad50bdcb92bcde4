/**
 * Receives an answer before and while it is worked on, so that its sender need not wait for the work.
 *
 * Promises: the pieces come in their order, a failure after the pieces before it; no more than `READ_AHEAD_BYTES` and a
 * piece are held; the work begins once that much is held, or nothing has arrived in a turn; others get their turn between
 * two pieces.
 */

/** Between two pieces others get their turn, which in workerd costs a millisecond: as much as the work on 128 KiB. */
export const PIECE_BYTES = 512 * 1024;
/** A page of 250 executions of usual size. A trace holds three at most, and several traces share an isolate. */
const READ_AHEAD_BYTES = 2 * 1024 * 1024;
/** @returns false */
const nextTurn = async (): Promise<boolean> =>
  await new Promise((resolve) => setImmediate(() => resolve(false)));

/**
 * Whoever reads no further has to let go of the answer.
 * @param onReceived called once all pieces have arrived, or when no more will
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
          // As the stream's own failure it would take the place of pieces that have arrived.
          failures.push(error);
        }
        controller.close();
        onReceived();
      },
    },
    { highWaterMark: READ_AHEAD_BYTES, size: ({ length }) => length },
  );
  for await (const piece of arriving) {
    // What arrives is received before it is worked on: its sender is then free to be asked for more.
    for (let isArriving = true; isArriving; ) isArriving = await Promise.race([arrival.promise, nextTurn()]);
    yield piece;
  }
  if (failures.length > 0) throw failures[0];
}
