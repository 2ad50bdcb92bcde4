/**
 * Splits a streamed `{"data":[…],"nextCursor":…}` into its elements, each as bytes, whatever the
 * chunk boundaries.
 *
 * Promises: an element over the cap is passed on as "too large" with its head, without being held;
 * memory is bounded by one chunk and one element under the cap. What stands around the elements is
 * kept (bounded) and returned at the end, since n8n writes the cursor last.
 *
 * No I/O, no knowledge of n8n: the array is the first one that is a direct member of the outermost
 * object.
 */
import { ContainerSkipper } from "./container-skipper.ts";
import { JsonReadError } from "./errors.ts";
import { GatheredBytes } from "./gathered-bytes.ts";
import { BACKSLASH, COMMA, OPEN_ARRAY, QUOTE } from "./tokens.ts";

export type Element =
  | { readonly kind: "whole"; readonly bytes: Uint8Array }
  /** `head` is the first bytes of the element, `byteLength` its whole size. */
  | { readonly kind: "too_large"; readonly head: Uint8Array; readonly byteLength: number };

/** Enough for a cursor and a few members more. */
const MAX_ENVELOPE_BYTES = 64 * 1024;
/** Enough for the scalars that n8n writes first: id, times, status. */
const HEAD_BYTES = 4 * 1024;

const opens = (byte: number): boolean => byte === 0x7b || byte === 0x5b;
const closes = (byte: number): boolean => byte === 0x7d || byte === 0x5d;

/** The push form: give it chunks, it calls back with elements. */
export class ElementSplitter {
  readonly #emit: (element: Element) => void;
  readonly #maxElementBytes: number;
  readonly #element: GatheredBytes;
  readonly #envelope = new GatheredBytes(MAX_ENVELOPE_BYTES);
  /** Walks over containers, which hold nearly all of the bytes. */
  readonly #skipper = new ContainerSkipper();
  #inContainer = false;
  #inString = false;
  #escaped = false;
  #place: "outside" | "before" | "inside" | "after" | "end" = "outside";
  #hasContent = false;

  constructor(maxElementBytes: number, emit: (element: Element) => void) {
    this.#emit = emit;
    this.#maxElementBytes = maxElementBytes;
    this.#element = new GatheredBytes(Number.POSITIVE_INFINITY);
  }

  /** Reads on, calling back once for each element that ends in this chunk. @throws JsonReadError */
  write(chunk: Uint8Array): void {
    let start = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#inContainer) {
        const end = this.#skipper.walk(chunk, at);
        if (end === -1) break;
        this.#inContainer = false;
        at = end + 1;
      } else if (this.#inString) {
        this.#readString(chunk[at] ?? 0);
        at += 1;
      } else {
        start = this.#readStructure(chunk, start, at);
        at += 1;
      }
    }
    const rest = chunk.subarray(start);
    if (this.#place === "inside") this.#gather(rest);
    else this.#keepEnvelope(rest);
  }

  #readString(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  /** One byte between strings and containers. Returns where what is not handed on yet begins. */
  #readStructure(chunk: Uint8Array, start: number, at: number): number {
    const byte = chunk[at] ?? 0;
    if (byte <= 0x20) return start;
    if (closes(byte)) return this.#close(chunk, start, at);
    if (this.#place === "inside" && byte === COMMA) {
      this.#endElement(chunk.subarray(start, at), false);
      return at + 1;
    }
    if (this.#place === "before" && byte === OPEN_ARRAY) {
      this.#keepEnvelope(chunk.subarray(start, at + 1));
      this.#place = "inside";
      this.#hasContent = false;
      return at + 1;
    }
    this.#hasContent = true;
    if (byte === QUOTE) this.#inString = true;
    else if (opens(byte)) this.#open();
    return start;
  }

  #open(): void {
    if (this.#place === "outside") {
      this.#place = "before";
      return;
    }
    this.#skipper.begin();
    this.#inContainer = true;
  }

  #close(chunk: Uint8Array, start: number, at: number): number {
    if (this.#place === "inside") {
      this.#endElement(chunk.subarray(start, at), true);
      this.#place = "after";
      return at;
    }
    if (this.#place !== "after") throw new JsonReadError("Unbalanced JSON.");
    this.#place = "end";
    return start;
  }

  /** What stands around the elements, as JSON text with an empty array. @throws JsonReadError */
  end(): string {
    if (this.#place !== "end") {
      throw new JsonReadError("The list ends too early.");
    }
    return new TextDecoder().decode(this.#envelope.join());
  }

  /** Adds to the current element; once it is over the cap, only its head is held. */
  #gather(bytes: Uint8Array): void {
    const wasTooLarge = this.#element.length > this.#maxElementBytes;
    this.#element.add(bytes);
    if (!wasTooLarge && this.#element.length > this.#maxElementBytes) this.#element.shrinkTo(HEAD_BYTES);
  }

  #takeElement(): Element {
    const { length } = this.#element;
    const bytes = this.#element.join();
    this.#element.clear(Number.POSITIVE_INFINITY);
    return length > this.#maxElementBytes
      ? { kind: "too_large", head: bytes, byteLength: length }
      : { kind: "whole", bytes };
  }

  #endElement(bytes: Uint8Array, isLast: boolean): void {
    this.#gather(bytes);
    const element = this.#takeElement();
    // An empty array has no element, though it may have white space.
    if (this.#hasContent) this.#emit(element);
    else if (!isLast) throw new JsonReadError("An element of the list is missing.");
    this.#hasContent = false;
  }

  #keepEnvelope(bytes: Uint8Array): void {
    this.#envelope.addCopy(bytes);
    if (this.#envelope.length > MAX_ENVELOPE_BYTES) {
      throw new JsonReadError("The list has more around its elements than can be held.");
    }
  }
}

/**
 * The pull form: elements as they arrive, then the text around them as the generator's return value.
 * @throws JsonReadError when the stream is not such a list or ends too early.
 */
export async function* splitElements(
  stream: AsyncIterable<Uint8Array>,
  maxElementBytes: number,
): AsyncGenerator<Element, string> {
  let ready: Element[] = [];
  const splitter = new ElementSplitter(maxElementBytes, (element) => ready.push(element));
  for await (const chunk of stream) {
    splitter.write(chunk);
    if (ready.length === 0) continue;
    const batch = ready;
    ready = [];
    yield* batch;
  }
  return splitter.end();
}
