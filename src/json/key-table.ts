/** Keys of objects, decoded once and recognised by their bytes from then on. Bounded. */
import { decodeString, refuseControlCharacters } from "./strings.ts";

export interface WalkedKey {
  readonly text: string;
  readonly isWanted: boolean;
}

interface Entry extends WalkedKey {
  readonly bytes: Uint8Array;
}

const SLOTS = 2_048;
/** Initializing more would take as long as reading a small value. */
const FEW_SLOTS = 256;
/** Longer keys are data, not names: they are decoded each time. */
const MAX_KEPT_BYTES = 128;

export class KeyTable {
  readonly #wants: ((key: string) => boolean) | undefined;
  readonly #entries: (Entry | undefined)[];
  readonly #lastSlot: number;

  /** @param wants when absent, no key is wanted */
  constructor(wants?: (key: string) => boolean) {
    const slots = wants === undefined ? FEW_SLOTS : SLOTS;
    this.#wants = wants;
    this.#entries = new Array<Entry | undefined>(slots).fill(undefined);
    this.#lastSlot = slots - 1;
  }

  lookUp(bytes: Uint8Array, start: number, end: number): WalkedKey {
    const length = end - start;
    if (length > MAX_KEPT_BYTES) return this.#decode(bytes.subarray(start, end));
    let hash = length;
    for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
    const slot = (hash ^ (hash >>> 11)) & this.#lastSlot;
    const known = this.#entries[slot];
    if (known !== undefined && isSame(known.bytes, bytes, start, length)) return known;
    const entry = this.#decode(bytes.slice(start, end));
    this.#entries[slot] = entry;
    return entry;
  }

  #decode(raw: Uint8Array): Entry {
    refuseControlCharacters(raw);
    const text = decodeString(raw, raw.length);
    return { bytes: raw, text, isWanted: this.#wants?.(text) === true };
  }
}

function isSame(kept: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (kept.length !== length) return false;
  for (let at = 0; at < length; at += 1) if (kept[at] !== bytes[start + at]) return false;
  return true;
}
