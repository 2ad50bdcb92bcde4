/**
 * The body of one answer, read in large pieces, or as a whole if it is short. The owner must always release it, which
 * stops the transfer and frees n8n's connection.
 *
 * Promises: the timeout applies to pieces even if `fetch` does not apply its signal to the body; pieces already passed
 * on are not held.
 */

/** By default workerd returns 4 kB per read, and each read costs as much as processing them. */
const LARGE_CHUNK_BYTES = 128 * 1024;

/** Bodies up to this size are read as a whole: aborting them would save little, since all of it is in transit at once. */
const SHORT_BYTES = 32 * 1024;

/** workerd reads large pieces only when asked to; Node always does. */
const CAN_READ_AT_LEAST = "readAtLeast" in ReadableStreamBYOBReader.prototype;

interface BodyReader {
  read(): Promise<{ readonly value?: Uint8Array | undefined; readonly done: boolean }>;
  cancel(): Promise<void>;
}

function readerOf(body: ReadableStream<Uint8Array>, chunkBytes: number): BodyReader {
  if (!CAN_READ_AT_LEAST) return body.getReader();
  const reader = body.getReader({ mode: "byob" });
  return {
    read: async () => await reader.readAtLeast(chunkBytes, new Uint8Array(chunkBytes)),
    cancel: async () => await reader.cancel(),
  };
}

/** Infinite if unknown: a compressed body is longer than its `content-length`. */
function bytesOf({ headers }: Response): number {
  const length = Number(headers.get("content-length") ?? 0);
  return length > 0 && !headers.has("content-encoding") ? length : Number.POSITIVE_INFINITY;
}

export class AnswerBody {
  /** In bytes; infinite if unknown. */
  readonly length: number;
  readonly #response: Response;
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => void this.#cancel();
  #reader: BodyReader | null = null;
  #hasEnded = false;

  /** @param signal the signal passed to `fetch` */
  constructor(response: Response, signal: AbortSignal) {
    this.#response = response;
    this.#signal = signal;
    this.length = bytesOf(response);
  }

  /** A body of known length as text, much cheaper than in pieces. @throws its own failure, or the signal's reason */
  async text(): Promise<string> {
    return await this.#whole(async (response) => await response.text());
  }

  async #whole<Read>(read: (response: Response) => Promise<Read>): Promise<Read> {
    // Even if reading fails, nothing is left to release.
    this.#hasEnded = true;
    const whole = await read(this.#response);
    this.#signal.throwIfAborted();
    return whole;
  }

  /**
   * The body in pieces of up to `bytes` bytes. It can be read once.
   * @throws the body's own failure, or the signal's reason
   */
  async *pieces(bytes = LARGE_CHUNK_BYTES): AsyncGenerator<Uint8Array> {
    const { body } = this.#response;
    if (body === null) return;
    if (this.length <= Math.min(SHORT_BYTES, bytes))
      return yield await this.#whole(async (response) => await response.bytes());
    // A small answer is read in one chunk of its exact size, which saves the read that finds the end.
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
  async release(): Promise<void> {
    this.#signal.removeEventListener("abort", this.#onAbort);
    if (!this.#hasEnded) await this.#cancel();
  }

  async #cancel(): Promise<void> {
    // A failed body rejects with its own failure, which its reader has already received.
    await (this.#reader ?? this.#response.body)?.cancel().catch(() => {});
  }
}
