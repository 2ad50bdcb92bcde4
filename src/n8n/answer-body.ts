/**
 * The body of one answer, in large pieces. The owner must always release it, whatever happens to the answer: then
 * nothing more of it arrives, and n8n's connection is free.
 *
 * Promises: the time-out applies even if `fetch` does not apply its signal to the body; pieces already passed on are
 * not held.
 */

/** By default workerd gives 4 kB at a time, and each read costs as much as processing them. */
const LARGE_CHUNK_BYTES = 128 * 1024;

/** workerd reads large pieces only when asked to; Node always does. */
const CAN_ASK_FOR_MUCH = "readAtLeast" in ReadableStreamBYOBReader.prototype;

interface Piece {
  readonly value?: Uint8Array | undefined;
  readonly done: boolean;
}

interface AnswerStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly chunkBytes: number;
  /** Infinite if the answer does not tell. */
  readonly length: number;
}

/**
 * A small answer arrives in one chunk of its own size, and no read has to find out that there is no more. A compressed
 * one is longer than its `content-length`.
 * @returns null for an answer without a body
 */
export function streamOf({ body, headers }: Response): AnswerStream | null {
  if (body === null) return null;
  const length = Number(headers.get("content-length") ?? 0);
  const isTold = length > 0 && !headers.has("content-encoding");
  if (!isTold) return { body, chunkBytes: LARGE_CHUNK_BYTES, length: Number.POSITIVE_INFINITY };
  return { body, chunkBytes: Math.min(length, LARGE_CHUNK_BYTES), length };
}

interface BodyReader {
  read(): Promise<Piece>;
  cancel(): Promise<void>;
}

function readerOf({ body, chunkBytes }: AnswerStream): BodyReader {
  if (!CAN_ASK_FOR_MUCH) return body.getReader();
  const reader = body.getReader({ mode: "byob" });
  return {
    read: async () => await reader.readAtLeast(chunkBytes, new Uint8Array(chunkBytes)),
    cancel: async () => await reader.cancel(),
  };
}

export class AnswerBody {
  readonly #reader: BodyReader;
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => void this.#cancel();
  #hasEnded = false;
  /** Bytes that are still to come. */
  #left: number;

  constructor(stream: AnswerStream, signal: AbortSignal) {
    this.#reader = readerOf(stream);
    this.#left = stream.length;
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort);
  }

  /** The whole body, which can be read once. @throws the body's own failure, or the signal's reason */
  async *pieces(): AsyncGenerator<Uint8Array> {
    while (!this.#hasEnded) {
      this.#signal.throwIfAborted();
      const { value, done } = await this.#reader.read();
      // A read that was pending when time ran out ends as if the body had ended.
      this.#signal.throwIfAborted();
      this.#left -= value?.length ?? 0;
      this.#hasEnded = done || this.#left <= 0;
      if (value !== undefined && value.length > 0) yield value;
    }
  }

  /** Must always be called, even when the body was not read to its end. */
  async letGo(): Promise<void> {
    this.#signal.removeEventListener("abort", this.#onAbort);
    if (!this.#hasEnded) await this.#cancel();
  }

  async #cancel(): Promise<void> {
    // A failed body rejects with its own failure, which its reader has already received.
    await this.#reader.cancel().catch(() => {});
  }
}
