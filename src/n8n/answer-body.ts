/**
 * The body of one answer: a short one as a whole, any other in large pieces. The owner must always release it, whatever
 * happens to the answer: then nothing more of it arrives, and n8n's connection is free.
 *
 * Promises: the time-out applies to pieces even if `fetch` does not apply its signal to the body; pieces already passed
 * on are not held.
 */

/** By default workerd gives 4 kB at a time, and each read costs as much as processing them. */
const LARGE_CHUNK_BYTES = 128 * 1024;

/** So little is received as one: most of it would be on its way at the same moment, if it were cut off. */
const SHORT_BYTES = 32 * 1024;

/** workerd reads large pieces only when asked to; Node always does. */
const CAN_ASK_FOR_MUCH = "readAtLeast" in ReadableStreamBYOBReader.prototype;

interface BodyReader {
  read(): Promise<{ readonly value?: Uint8Array | undefined; readonly done: boolean }>;
  cancel(): Promise<void>;
}

function readerOf(body: ReadableStream<Uint8Array>, chunkBytes: number): BodyReader {
  if (!CAN_ASK_FOR_MUCH) return body.getReader();
  const reader = body.getReader({ mode: "byob" });
  return {
    read: async () => await reader.readAtLeast(chunkBytes, new Uint8Array(chunkBytes)),
    cancel: async () => await reader.cancel(),
  };
}

/** Infinite if the answer does not tell. A compressed one is longer than its `content-length`. */
function bytesOf({ headers }: Response): number {
  const length = Number(headers.get("content-length") ?? 0);
  return length > 0 && !headers.has("content-encoding") ? length : Number.POSITIVE_INFINITY;
}

export class AnswerBody {
  /** In bytes; infinite if the answer does not tell. */
  readonly length: number;
  readonly #response: Response;
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => void this.#cancel();
  #reader: BodyReader | null = null;
  #hasEnded = false;

  /** @param signal the one that was given to `fetch` */
  constructor(response: Response, signal: AbortSignal) {
    this.#response = response;
    this.#signal = signal;
    this.length = bytesOf(response);
  }

  /** A body of known length as text, at a fraction of what pieces cost. @throws its own failure, or the signal's reason */
  async text(): Promise<string> {
    return await this.#whole(async (response) => await response.text());
  }

  async #whole<Read>(read: (response: Response) => Promise<Read>): Promise<Read> {
    // Whether this ends or fails, there is nothing left to release.
    this.#hasEnded = true;
    const whole = await read(this.#response);
    this.#signal.throwIfAborted();
    return whole;
  }

  /** The whole body, in pieces of so many bytes, which can be read once. @throws the body's own failure, or the signal's reason */
  async *pieces(bytes = LARGE_CHUNK_BYTES): AsyncGenerator<Uint8Array> {
    const { body } = this.#response;
    if (body === null) return;
    if (this.length <= Math.min(SHORT_BYTES, bytes))
      return yield await this.#whole(async (response) => await response.bytes());
    // A small answer arrives in one chunk of its own size, and no read has to find out that there is no more.
    const reader = readerOf(body, Math.min(this.length, bytes));
    this.#reader = reader;
    this.#signal.addEventListener("abort", this.#onAbort);
    let left = this.length;
    while (!this.#hasEnded) {
      this.#signal.throwIfAborted();
      const { value, done } = await reader.read();
      // A read that was pending when time ran out ends as if the body had ended.
      this.#signal.throwIfAborted();
      left -= value?.length ?? 0;
      this.#hasEnded = done || left <= 0;
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
    await (this.#reader ?? this.#response.body)?.cancel().catch(() => {});
  }
}
