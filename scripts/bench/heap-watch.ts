/**
 * Watches how much memory this process holds while something runs. `live` collects garbage before each sample, so that
 * only live objects count; `raw` does not, and includes uncollected garbage.
 */
import type { Fetch } from "../../src/n8n/requests.ts";
import { collectGarbage } from "../../test/support/live-heap.ts";

export type SampleKind = "live" | "raw";

/** V8's heap and its external memory, which includes array buffers. */
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

  /** Growth counts from here on. Collects twice: the first collection may leave work for the second. */
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

/** A `fetch` that takes a sample after every `everyBytes` of answers. */
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

/** The same stream; no chunk is read before the consumer asks for it. */
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
