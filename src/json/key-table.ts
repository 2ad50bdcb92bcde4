/** Keys of objects, decoded once and recognised by their bytes from then on. Bounded. */
import { decodeString } from "./string-bytes.ts";

export interface WalkedKey {
  readonly text: string;
  readonly isWanted: boolean;
}

interface Entry extends WalkedKey {
  readonly bytes: Uint8Array;
}

/** Enough for a small value. A table for thousands of values that are read one by one would take as long as reading. */
const FIRST_SLOTS = 64;
/** From the moment on when as many keys were decoded as there are first slots. */
const SLOTS = 2_048;
/** Longer keys are data, not names: they are decoded each time. */
const MAX_KEPT_BYTES = 128;

export class KeyTable {
  readonly #wants: (key: string) => boolean;
  #entries: (Entry | undefined)[] = new Array<Entry | undefined>(FIRST_SLOTS).fill(undefined);
  #decoded = 0;

  constructor(wants: (key: string) => boolean) {
    this.#wants = wants;
  }

  lookUp(bytes: Uint8Array, start: number, end: number): WalkedKey {
    const length = end - start;
    if (length > MAX_KEPT_BYTES) return this.#decode(bytes.subarray(start, end));
    let hash = length;
    for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
    const slot = (hash ^ (hash >>> 11)) & (this.#entries.length - 1);
    const known = this.#entries[slot];
    if (known !== undefined && isSame(known.bytes, bytes, start, length)) return known;
    const entry = this.#decode(bytes.slice(start, end));
    this.#entries[slot] = entry;
    this.#decoded += 1;
    if (this.#decoded === FIRST_SLOTS) this.#entries = new Array<Entry | undefined>(SLOTS).fill(undefined);
    return entry;
  }

  #decode(raw: Uint8Array): Entry {
    const text = decodeString(raw, raw.length);
    return { bytes: raw, text, isWanted: this.#wants(text) };
  }
}

function isSame(kept: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (kept.length !== length) return false;
  for (let at = 0; at < length; at += 1) if (kept[at] !== bytes[start + at]) return false;
  return true;
}
