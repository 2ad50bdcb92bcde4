/**
 * Stores terms as 64-bit keyed hashes, under a key that no storage holds. A reader of the storage learns neither the
 * terms nor, without the key, whether a guessed term is among them.
 */
import { withoutPositions } from "../../json/path-text.ts";
import { SipHash } from "./sip-hash.ts";

/** A 64-bit hash as two numbers of 32 bits, which are not both zero. */
export interface Term {
  readonly high: number;
  readonly low: number;
}

/** The finalizer of MurmurHash3; its input is already hashed under a key. */
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

  /** @param key 16 bytes, which no storage holds (`createTermKey`). @throws RangeError for any other length */
  constructor(key: Uint8Array) {
    this.#hash = new SipHash(key);
  }

  /** @throws RangeError if the part is longer than `MAX_HASHED` */
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

  /** Avoids two zeros, which mark an empty slot. */
  #keep(high: number, low: number): void {
    this.high = high;
    this.low = high === 0 && low === 0 ? 1 : low;
  }

  /** A copy of the last hash that can be kept. */
  get term(): Term {
    return { high: this.high, low: this.low };
  }
}

/** UTF-16 units. All longer names share one hash. */
const MAX_NAME = 128;
/** Bounds names and pairs. When full, all names are dropped at once; few histories have so many. */
const MAX_REMEMBERED = 5_000;

export interface Name {
  readonly term: Term;
  /** Hashes of the pairs of this name below another, by the other. */
  readonly below: Map<Name, Term>;
}

/** Hashes of member names, cached because names repeat from one execution to the next. */
export class Names {
  readonly #hasher: TermHasher;
  readonly #known = new Map<string, Name>();
  readonly #long: Name;
  #pairs = 0;

  constructor(hasher: TermHasher) {
    this.#hasher = hasher;
    this.#long = this.#nameOf("");
  }

  /** Ignores case and list positions, as paths do. */
  of(key: string): Name {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = withoutPositions(key).toLowerCase();
    if (name.length > MAX_NAME) return this.#long;
    const made = this.#nameOf(name);
    if (this.#known.size >= MAX_REMEMBERED) this.#forget();
    this.#known.set(key, made);
    return made;
  }

  #nameOf(name: string): Name {
    this.#hasher.text(name);
    return { term: this.#hasher.term, below: new Map() };
  }

  below(before: Name, name: Name): Term {
    const known = name.below.get(before);
    if (known !== undefined) return known;
    this.#hasher.pair(before.term, name.term);
    const term = this.#hasher.term;
    if (this.#pairs < MAX_REMEMBERED) {
      name.below.set(before, term);
      this.#pairs += 1;
    }
    return term;
  }

  #forget(): void {
    this.#known.clear();
    this.#long.below.clear();
    this.#pairs = 0;
  }
}
