/**
 * Receives an answer while what has arrived of it is worked on, so that its sender need not wait for the work.
 *
 * Promises: the pieces come in their order, a failure after the pieces before it; no more than `READ_AHEAD_BYTES` and a
 * piece are held; others get their turn between two pieces.
 */

/** A page of 250 executions of usual size. A trace holds three at most, and several traces share an isolate. */
const READ_AHEAD_BYTES = 2 * 1024 * 1024;

/**
 * Whoever reads no further has to let go of the answer.
 * @param onReceived called once all pieces have arrived, or when no more will
 */
export async function* readAhead(
  pieces: AsyncGenerator<Uint8Array>,
  onReceived: () => void,
): AsyncGenerator<Uint8Array> {
  const failures: unknown[] = [];
  const arriving = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await pieces.next();
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
    yield piece;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  if (failures.length > 0) throw failures[0];
}
