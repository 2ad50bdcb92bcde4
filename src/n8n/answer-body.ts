/**
 * The body of one answer, in large pieces. Whoever has it lets it go, whatever becomes of the answer: then nothing
 * more of it arrives, and n8n's connection is free.
 *
 * Promises: time runs out for it even where `fetch` does not hold the body to its signal; nothing that was handed on
 * is held.
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
}

/**
 * A small answer comes in one chunk of its own size. What was compressed is longer than it says.
 * @returns null for an answer without a body
 */
export function streamOf({ body, headers }: Response): AnswerStream | null {
  if (body === null) return null;
  const length = Number(headers.get("content-length") ?? 0);
  const isTold = length > 0 && !headers.has("content-encoding");
  return { body, chunkBytes: isTold ? Math.min(length, LARGE_CHUNK_BYTES) : LARGE_CHUNK_BYTES };
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

  constructor(stream: AnswerStream, signal: AbortSignal) {
    this.#reader = readerOf(stream);
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort);
  }

  /** The whole body; it can be read once. @throws what the body fails with, or the reason of the signal */
  async *pieces(): AsyncGenerator<Uint8Array> {
    while (!this.#hasEnded) {
      this.#signal.throwIfAborted();
      const { value, done } = await this.#reader.read();
      // A read that was waiting when time ran out ends like the body.
      this.#signal.throwIfAborted();
      this.#hasEnded = done;
      if (value !== undefined && value.length > 0) yield value;
    }
  }

  /** Must always be called, even when the body was not read to its end. */
  async letGo(): Promise<void> {
    this.#signal.removeEventListener("abort", this.#onAbort);
    if (!this.#hasEnded) await this.#cancel();
  }

  async #cancel(): Promise<void> {
    // A body that has failed refuses with its failure, which its reader has already received.
    await this.#reader.cancel().catch(() => {});
  }
}
