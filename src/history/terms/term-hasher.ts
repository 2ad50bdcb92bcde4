/**
 * How terms are kept: as keyed hashes of 64 bits, under a key that no storage holds. Who reads the storage learns
 * neither the terms nor, without the key, whether one that they guess is among them.
 */
import { SipHash } from "./sip-hash.ts";

/** A 64-bit hash as two numbers of 32 bits, which are not both zero. */
export interface Term {
  readonly high: number;
  readonly low: number;
}

/** The finalizer of MurmurHash3: its input is hashed under a key already. */
function scrambled(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** Hashes texts and pairs into `high` and `low`. */
export class TermHasher implements Term {
  readonly #hash: SipHash;
  high = 0;
  low = 0;

  /** @param key 16 bytes, which no storage holds (`createTermKey`). @throws RangeError for any other number of them */
  constructor(key: Uint8Array) {
    this.#hash = new SipHash(key);
  }

  /** @throws RangeError when the stretch is longer than `MAX_HASHED` */
  text(text: string, from = 0, to = text.length): void {
    this.#hash.hash(text, from, to);
    this.#keep(this.#hash.high, this.#hash.low);
  }

  /** Hashes an ordered pair: a value at a name, a name below another. */
  pair(one: Term, other: Term): void {
    const high = scrambled((one.high + other.low) | 0);
    const low = scrambled(((one.low ^ (other.high << 1)) + high) | 0);
    this.#keep(scrambled((high ^ other.low) + low), (low + other.high) | 0);
  }

  /** Avoids two zeros, which stand for an empty place. */
  #keep(high: number, low: number): void {
    this.high = high;
    this.low = high === 0 && low === 0 ? 1 : low;
  }

  /** A copy of the last hash, to be kept. */
  get term(): Term {
    return { high: this.high, low: this.low };
  }
}
