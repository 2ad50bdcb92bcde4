/** Bytes of one token or element that may be spread over several chunks. Keeps the first ones only. */
export class GatheredBytes {
  #limit: number;
  #parts: Uint8Array[] = [];
  #kept = 0;
  /** How many bytes were gathered, the ones that were not kept included. */
  length = 0;

  /** @param limit how many bytes are kept */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many bytes are kept. */
  get kept(): number {
    return this.#kept;
  }

  /** Begins anew. */
  clear(limit = this.#limit): void {
    this.#limit = limit;
    this.#parts = [];
    this.#kept = 0;
    this.length = 0;
  }

  /** Without a copy: who gives the bytes must not change them while they are gathered. */
  add(bytes: Uint8Array): void {
    this.#keep(bytes.subarray(0, this.#room()), bytes.length);
  }

  /** With a copy of what is kept, so that a few bytes do not keep a whole chunk alive. */
  addCopy(bytes: Uint8Array): void {
    this.#keep(bytes.slice(0, this.#room()), bytes.length);
  }

  #room(): number {
    return Math.max(0, this.#limit - this.#kept);
  }

  #keep(piece: Uint8Array, length: number): void {
    this.length += length;
    if (piece.length === 0) return;
    this.#parts.push(piece);
    this.#kept += piece.length;
  }

  /** Lets go of all but the first bytes, and keeps no more. */
  shrinkTo(limit: number): void {
    const head = this.join().slice(0, limit);
    this.#limit = head.length;
    this.#parts = [head];
    this.#kept = head.length;
  }

  /** What is kept, in one piece; without a copy where it came in one. */
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
