/**
 * A Bloom filter (1970) of an execution's terms, which says that a term is absent or may be there. About 12 bits a term
 * and 8 probes: 3 of 1,000 absent terms pass for present. Its bytes: version, flags, bits. Pure.
 */
import type { Term } from "./term-hasher.ts";

const VERSION = 1;
const HEADER_BYTES = 2;

/** There are more terms than fit, so any may be there. */
const TOO_MANY = 1;
/** A word next to a redaction mark has no term. */
const CUT_WORDS = 2;
/** A part is too large to be redacted: it has no terms, and no search reads it. */
const PARTIAL = 4;
/** It has more bytes than a search may look at. */
const TOO_LARGE = 8;

const MAX_BYTES = 4 * 1024;

/** How large a filter is, and how often it errs. */
export interface FilterPrecision {
  readonly bitsForEach: number;
  /** About `bitsForEach` times the logarithm of 2. */
  readonly probes: number;
  /** A small filter errs more often than a large one: the probes of some terms fall on the same few bits. */
  readonly leastBytes: number;
}

const OF_TERMS: FilterPrecision = { bitsForEach: 12, probes: 8, leastBytes: 4 };
const RANGE = 2 ** 32;

export const MAX_TERMS = Math.floor(((MAX_BYTES - HEADER_BYTES) * 8) / OF_TERMS.bitsForEach);

/** Which bit a probe looks at: enhanced double hashing (Dillinger and Manolios, 2004). */
function bitOf({ high, low }: Term, probe: number, bits: number): number {
  const hash = (high + Math.imul(probe, low) + (probe * probe * probe - probe) / 6) >>> 0;
  return Math.floor((hash * bits) / RANGE);
}

export interface FilterContents {
  readonly terms: Iterable<Term>;
  readonly count: number;
  readonly hasCutWords: boolean;
  readonly isPartial: boolean;
  readonly isTooLarge?: boolean;
}

/** Writes a filter, without any bits if there are more than `MAX_TERMS`. */
export function writeFilter(
  { terms, count, hasCutWords, isPartial, isTooLarge = false }: FilterContents,
  { bitsForEach, probes, leastBytes }: FilterPrecision = OF_TERMS,
): Uint8Array {
  const flags = (hasCutWords ? CUT_WORDS : 0) | (isPartial ? PARTIAL : 0) | (isTooLarge ? TOO_LARGE : 0);
  if (count > MAX_TERMS) return Uint8Array.of(VERSION, flags | TOO_MANY);
  const size = count === 0 ? 0 : Math.max(leastBytes, Math.ceil((count * bitsForEach) / 8));
  const bytes = new Uint8Array(HEADER_BYTES + size);
  bytes[0] = VERSION;
  bytes[1] = flags;
  for (const term of terms) {
    for (let probe = 0; probe < probes; probe += 1) {
      const bit = bitOf(term, probe, size * 8);
      const at = HEADER_BYTES + (bit >>> 3);
      bytes[at] = (bytes[at] ?? 0) | (1 << (bit & 7));
    }
  }
  return bytes;
}

/** Reads a filter. One of another version may hold any term. */
export class TermFilter {
  readonly #bytes: Uint8Array;
  readonly #begin: number;
  readonly #bits: number;
  /** False for too many terms or another version: then the execution has to be read. */
  readonly isConclusive: boolean;
  readonly hasCutWords: boolean;
  readonly isPartial: boolean;
  /** To read it again would take long, and could not search the whole of it. */
  readonly isTooLarge: boolean;

  constructor(bytes: Uint8Array, from = 0, to = bytes.length) {
    const flags = bytes[from + 1] ?? 0;
    this.#bytes = bytes;
    this.#begin = from + HEADER_BYTES;
    this.#bits = Math.max(0, to - this.#begin) * 8;
    this.isConclusive = bytes[from] === VERSION && to - from >= HEADER_BYTES && (flags & TOO_MANY) === 0;
    this.hasCutWords = (flags & CUT_WORDS) !== 0;
    this.isPartial = (flags & PARTIAL) !== 0;
    this.isTooLarge = bytes[from] === VERSION && (flags & TOO_LARGE) !== 0;
  }

  mayHold(term: Term, { probes }: FilterPrecision = OF_TERMS): boolean {
    const bytes = this.#bytes;
    const begin = this.#begin;
    const bits = this.#bits;
    if (bits === 0) return false;
    for (let probe = 0; probe < probes; probe += 1) {
      const bit = bitOf(term, probe, bits);
      if (((bytes[begin + (bit >>> 3)] ?? 0) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }
}

const FIRST_SLOTS = 512;

/**
 * The distinct terms of one execution, while there is room. Open addressing, at most half full; two zeros mark an empty
 * slot.
 */
export class TermSet {
  #slots = new Int32Array(FIRST_SLOTS * 2);
  #count = 0;

  /** More than `MAX_TERMS` when there are too many; counting stops there. */
  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count > MAX_TERMS;
  }

  add({ high, low }: Term): void {
    if (this.isFull || !this.#put(high, low)) return;
    this.#count += 1;
    if (this.#count * 4 > this.#slots.length) this.#grow();
  }

  /** @returns false if the term was already there */
  #put(high: number, low: number): boolean {
    const slots = this.#slots;
    const last = slots.length - 2;
    let at = (high ^ low) & last;
    while (slots[at] !== 0 || slots[at + 1] !== 0) {
      if (slots[at] === high && slots[at + 1] === low) return false;
      at = (at + 2) & last;
    }
    slots[at] = high;
    slots[at + 1] = low;
    return true;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(before.length * 2);
    for (let at = 0; at < before.length; at += 2) {
      const [high = 0, low = 0] = [before[at], before[at + 1]];
      if (high !== 0 || low !== 0) this.#put(high, low);
    }
  }

  *[Symbol.iterator](): Generator<Term, void> {
    for (let at = 0; at < this.#slots.length; at += 2) {
      const [high = 0, low = 0] = [this.#slots[at], this.#slots[at + 1]];
      if (high !== 0 || low !== 0) yield { high, low };
    }
  }
}
