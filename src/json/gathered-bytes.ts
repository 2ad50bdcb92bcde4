/** Bytes of one token or element that may be spread over several chunks. Keeps only the first ones. */
export class GatheredBytes {
  #limit: number;
  #parts: Uint8Array[] = [];
  #kept = 0;
  /** How many bytes were gathered, including those that were not kept. */
  length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Does not copy: the caller must not change the bytes while they are gathered. */
  add(bytes: Uint8Array): void {
    this.length += bytes.length;
    const piece = bytes.subarray(0, Math.max(0, this.#limit - this.#kept));
    if (piece.length === 0) return;
    this.#parts.push(piece);
    this.#kept += piece.length;
  }

  /** Releases all but the first bytes, and stops keeping more. */
  shrinkTo(limit: number): void {
    const head = this.join().slice(0, limit);
    this.#limit = head.length;
    this.#parts = [head];
    this.#kept = head.length;
  }

  /** The kept bytes in one piece, copied only if they arrived in several. */
  join(): Uint8Array {
    const [first] = this.#parts;
    if (first !== undefined && this.#parts.length === 1) return first;
    const joined = new Uint8Array(this.#kept);
    let at = 0;
    for (const part of this.#parts) {
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }
}

/** The bytes of a container; only the first ones if there was no room for all. */
export interface Gathered {
  readonly isWhole: boolean;
  readonly bytes: Uint8Array;
}

/** Kept of a container that exceeds its room: enough for the scalars that n8n writes first. */
const HEAD_BYTES = 4 * 1024;

/** A container whose bytes are held as it streams in. */
export class Gathering {
  /** How many containers are open around it. */
  readonly depth: number;
  readonly #room: number;
  readonly #bytes: GatheredBytes;
  /** The offset, in the current bytes, of the first one that is not held yet. */
  #from: number;

  constructor(depth: number, room: number, from: number) {
    this.depth = depth;
    this.#room = room;
    this.#bytes = new GatheredBytes(room);
    this.#from = from;
  }

  /** @param end offset in the current bytes; those after it are passed again with the next ones */
  addUpTo(bytes: Uint8Array, end: number): void {
    const wasTooLong = this.#bytes.length > this.#room;
    this.#bytes.add(bytes.subarray(this.#from, end));
    if (!wasTooLong && this.#bytes.length > this.#room) this.#bytes.shrinkTo(HEAD_BYTES);
    this.#from = 0;
  }

  get gathered(): Gathered {
    return { isWhole: this.#bytes.length <= this.#room, bytes: this.#bytes.join() };
  }
}
