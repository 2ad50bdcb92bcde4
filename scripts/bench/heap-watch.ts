/**
 * Watches how much memory this process holds while something runs.
 *
 * `live` collects garbage before each sample, so that only what is held counts; `raw` does not, and shows
 * what V8 lets lie around.
 */
import type { Fetch } from "../../src/n8n/requests.ts";
import { collectGarbage } from "../../test/support/live-heap.ts";

export type SampleKind = "live" | "raw";

/** V8's heap and what hangs on it outside; `external` has the array buffers in it. */
function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

export class HeapWatch {
  readonly #kind: SampleKind;
  #base = 0;
  #peak = 0;

  constructor(kind: SampleKind) {
    this.#kind = kind;
  }

  /** From here on growth counts. Twice, since the first collection may leave work for the second. */
  begin(): void {
    collectGarbage();
    collectGarbage();
    this.#base = heldBytes();
    this.#peak = this.#base;
  }

  readonly sample = (): void => {
    if (this.#kind === "live") collectGarbage();
    this.#peak = Math.max(this.#peak, heldBytes());
  };

  get peakGrowth(): number {
    return this.#peak - this.#base;
  }
}

/** A `fetch` that samples each time so many bytes of answers have come. */
export function sampledFetch(watch: HeapWatch, everyBytes: number): Fetch {
  let unsampled = 0;
  const count = (chunk: Uint8Array): void => {
    unsampled += chunk.length;
    if (unsampled < everyBytes) return;
    unsampled = 0;
    watch.sample();
  };
  return async (url, init) => {
    const response = await fetch(url, init);
    const { status, headers, body } = response;
    return new Response(body === null ? null : tap(body, count), { status, headers });
  };
}

/** The same chunks, none of them earlier than it is asked for. */
function tap(body: ReadableStream<Uint8Array>, see: (chunk: Uint8Array) => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        see(value);
        controller.enqueue(value);
      },
      cancel: async (reason) => await reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
