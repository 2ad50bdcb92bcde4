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
import { JsonReadError } from "./errors.ts";

export type Element =
  | { readonly kind: "whole"; readonly bytes: Uint8Array }
  /** `head` is the first bytes of the element, `byteLength` its whole size. */
  | { readonly kind: "too_large"; readonly head: Uint8Array; readonly byteLength: number };

/** Enough for a cursor and a few members more. */
const MAX_ENVELOPE_BYTES = 64 * 1024;
/** Enough for the scalars that n8n writes first: id, times, status. */
const HEAD_BYTES = 4 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

const opens = (byte: number): boolean => byte === 0x7b || byte === 0x5b;
const closes = (byte: number): boolean => byte === 0x7d || byte === 0x5d;

/** Bytes gathered from several chunks, up to a limit; beyond it only the head is kept. */
class Gathered {
  readonly #limit: number;
  #parts: Uint8Array[] = [];
  length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.length <= this.#limit) {
      this.#parts.push(bytes);
      if (this.length + bytes.length > this.#limit) this.#parts = [this.#head()];
    }
    this.length += bytes.length;
  }

  #head(): Uint8Array {
    return join(this.#parts, HEAD_BYTES);
  }

  take(): Element {
    const element: Element =
      this.length > this.#limit
        ? { kind: "too_large", head: this.#parts[0] ?? new Uint8Array(), byteLength: this.length }
        : { kind: "whole", bytes: join(this.#parts, this.length) };
    this.#parts = [];
    this.length = 0;
    return element;
  }
}

/** The first `limit` bytes of the parts. A single part is passed on without a copy. */
function join(parts: readonly Uint8Array[], limit: number): Uint8Array {
  const [first] = parts;
  if (first !== undefined && parts.length === 1 && first.length <= limit) return first;
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const joined = new Uint8Array(Math.min(total, limit));
  let at = 0;
  for (const part of parts) {
    if (at >= joined.length) break;
    const piece = part.subarray(0, joined.length - at);
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

/** The push form: give it chunks, it calls back with elements. */
export class ElementSplitter {
  readonly #emit: (element: Element) => void;
  readonly #element: Gathered;
  readonly #envelope: Uint8Array[] = [];
  #envelopeLength = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #place: "before" | "inside" | "after" = "before";
  #hasContent = false;

  constructor(maxElementBytes: number, emit: (element: Element) => void) {
    this.#emit = emit;
    this.#element = new Gathered(maxElementBytes);
  }

  /** Reads on, calling back once for each element that ends in this chunk. @throws JsonReadError */
  write(chunk: Uint8Array): void {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
        continue;
      }
      if (byte === QUOTE) {
        this.#inString = true;
        this.#hasContent = true;
      } else if (opens(byte)) {
        this.#depth += 1;
        if (this.#place === "before" && this.#depth === 2 && byte === 0x5b) {
          this.#keepEnvelope(chunk.subarray(start, at + 1));
          start = at + 1;
          this.#place = "inside";
          this.#hasContent = false;
        } else {
          this.#hasContent = true;
        }
      } else if (closes(byte)) {
        this.#depth -= 1;
        if (this.#depth < 0) throw new JsonReadError("Unbalanced JSON.");
        if (this.#place === "inside" && this.#depth === 1) {
          this.#endElement(chunk.subarray(start, at), true);
          start = at;
          this.#place = "after";
        }
      } else if (byte === COMMA && this.#depth === 2 && this.#place === "inside") {
        this.#endElement(chunk.subarray(start, at), false);
        start = at + 1;
      } else if (byte > 0x20) {
        this.#hasContent = true;
      }
    }
    const rest = chunk.subarray(start);
    if (this.#place === "inside") this.#element.add(rest);
    else this.#keepEnvelope(rest);
  }

  /** What stands around the elements, as JSON text with an empty array. @throws JsonReadError */
  end(): string {
    if (this.#depth !== 0 || this.#place !== "after") {
      throw new JsonReadError("The list ends too early.");
    }
    return new TextDecoder().decode(join(this.#envelope, this.#envelopeLength));
  }

  #endElement(bytes: Uint8Array, isLast: boolean): void {
    this.#element.add(bytes);
    // An empty array has no element, though it may have white space.
    if (this.#hasContent) this.#emit(this.#element.take());
    else if (!isLast) throw new JsonReadError("An element of the list is missing.");
    else this.#element.take();
    this.#hasContent = false;
  }

  #keepEnvelope(bytes: Uint8Array): void {
    this.#envelopeLength += bytes.length;
    if (this.#envelopeLength > MAX_ENVELOPE_BYTES) {
      throw new JsonReadError("The list has more around its elements than can be held.");
    }
    this.#envelope.push(bytes.slice());
  }
}

/**
 * The pull form: elements as they arrive, then the text around them as the generator's return value.
 * @throws JsonReadError when the stream is not such a list or ends too early.
 */
export async function* splitElements(
  stream: ReadableStream<Uint8Array>,
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
