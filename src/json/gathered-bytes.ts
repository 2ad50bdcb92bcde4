/** Bytes of one token or element that may be spread over several chunks. Keeps the first ones only. */
export class GatheredBytes {
  #limit: number;
  #parts: Uint8Array[] = [];
  #kept = 0;
  /** How many bytes were gathered, including those that were not kept. */
  length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Without a copy: whoever gives the bytes must not change them while they are gathered. */
  add(bytes: Uint8Array): void {
    this.length += bytes.length;
    const piece = bytes.subarray(0, Math.max(0, this.#limit - this.#kept));
    if (piece.length === 0) return;
    this.#parts.push(piece);
    this.#kept += piece.length;
  }

  /** Releases all but the first bytes, and keeps no more. */
  shrinkTo(limit: number): void {
    const head = this.join().slice(0, limit);
    this.#limit = head.length;
    this.#parts = [head];
    this.#kept = head.length;
  }

  /** What is kept, in one piece; without a copy when it came in one. */
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
