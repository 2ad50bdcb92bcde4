/**
 * Splits a streamed `{"data":[…],"nextCursor":…}` into its elements, each as bytes, as a visitor of the walker.
 *
 * Promises: an element over the maximum size is passed on as "too large" with its head, without being held; memory is
 * bounded by one chunk and one element. The scalars next to the list are kept (bounded) and returned at the end,
 * because n8n writes the cursor last.
 *
 * No I/O, no knowledge of n8n: the list is the first array that is a direct member of the outermost object.
 */
import { JsonReadError } from "./errors.ts";
import type { Gathered } from "./gathered-bytes.ts";
import { JsonWalker } from "./json-walker.ts";
import type { Guide } from "./walk-guide.ts";
import { ALL, type Scalar, type Visitor, type WalkPosition } from "./walk-visitor.ts";

export type Element =
  | { readonly kind: "whole"; readonly bytes: Uint8Array }
  /** `head` is the first bytes of the element. */
  | { readonly kind: "too_large"; readonly head: Uint8Array };

export type Envelope = Readonly<Record<string, Scalar>>;

/** Enough for a cursor and a few other members. */
const MAX_ENVELOPE_BYTES = 64 * 1024;

const ENVELOPE: Guide = {
  place: "envelope",
  isOptional: true,
  scalars: "all",
  otherMembers: {
    place: "list",
    isOptional: true,
    scalars: "all",
    items: { place: "element", isGathered: true },
  },
};

const encoder = new TextEncoder();

class ListVisitor implements Visitor {
  readonly #maxElementBytes: number;
  readonly #emit: (element: Element) => void;
  readonly #envelope = new Map<string, Scalar>();
  #envelopeBytes = 0;
  hasList = false;

  constructor(maxElementBytes: number, emit: (element: Element) => void) {
    this.#maxElementBytes = maxElementBytes;
    this.#emit = emit;
  }

  get envelope(): Envelope {
    return Object.fromEntries(this.#envelope);
  }

  enters(place: string, _position: WalkPosition, isArray: boolean): number {
    if (place === "envelope") return isArray ? 0 : ALL;
    if (this.hasList || !isArray) return 0;
    this.hasList = true;
    return ALL;
  }

  roomFor(): number {
    return this.#maxElementBytes;
  }

  gathered(_place: string, { isWhole, bytes }: Gathered): void {
    this.#emit(isWhole ? { kind: "whole", bytes } : { kind: "too_large", head: bytes });
  }

  scalar(place: string, value: Scalar, { key }: WalkPosition): void {
    if (place === "list") {
      this.#emit({ kind: "whole", bytes: encoder.encode(JSON.stringify(value)) });
      return;
    }
    this.#envelope.set(key, value);
    this.#envelopeBytes += key.length + String(value).length;
    if (this.#envelopeBytes > MAX_ENVELOPE_BYTES) this.onSkipped(place);
  }

  onSkipped(place: string): void {
    throw new JsonReadError(
      place === "list"
        ? "An element of the list is neither an object nor short."
        : "The list has more around its elements than can be held.",
    );
  }
}

export class ElementSplitter {
  readonly #visitor: ListVisitor;
  readonly #walker: JsonWalker;

  constructor(maxElementBytes: number, emit: (element: Element) => void) {
    this.#visitor = new ListVisitor(maxElementBytes, emit);
    this.#walker = new JsonWalker(ENVELOPE, this.#visitor);
  }

  /** Reads the next chunk and calls back once for each element that ends in it. @throws JsonReadError */
  write(chunk: Uint8Array): void {
    this.#walker.write(chunk);
  }

  /** Returns the scalars around the list. @throws JsonReadError */
  end(): Envelope {
    this.#walker.end();
    if (!this.#visitor.hasList) throw new JsonReadError("The answer has no list.");
    return this.#visitor.envelope;
  }
}

/** Calls back with each element as it arrives. @throws JsonReadError if the stream is no such list or ends too early */
export async function splitElements(
  stream: AsyncIterable<Uint8Array>,
  maxElementBytes: number,
  emit: (element: Element) => void,
): Promise<Envelope> {
  const splitter = new ElementSplitter(maxElementBytes, emit);
  for await (const chunk of stream) splitter.write(chunk);
  return splitter.end();
}
