/**
 * The terms of one execution as they are passed to the store: flags, and a 20-bit hash per term. For a term, a block of
 * executions (`filter-block.ts`) says that it is absent or may be present. Pure.
 */
import type { Term } from "./term-hasher.ts";

/** There are more terms than are stored, so any may be present. */
const TOO_MANY = 1;
/** A word next to a redaction mark has no term. */
const CUT_WORDS = 2;
/** A part is too large to be redacted: it has no terms, and no search reads it. */
const PARTIAL = 4;
/** It has more bytes than a search may read. */
const TOO_LARGE = 8;

/** An execution with more terms matches most searches anyway. */
export const MAX_TERMS = 2_729;
/** For each term of an execution, one in this many absent terms is taken for present. */
export const HASHES = 2 ** 20;
const HASH_BYTES = 3;

/** The part of a term that is stored. */
export const hashOf = ({ high }: Term): number => high >>> 12;

export interface FilterContents {
  readonly terms: Iterable<Term>;
  readonly count: number;
  readonly hasCutWords: boolean;
  readonly isPartial: boolean;
  readonly isTooLarge?: boolean;
}

/** Writes a filter, without any terms if there are more than `MAX_TERMS`. */
export function writeFilter({
  terms,
  count,
  hasCutWords,
  isPartial,
  isTooLarge = false,
}: FilterContents): Uint8Array {
  const flags = (hasCutWords ? CUT_WORDS : 0) | (isPartial ? PARTIAL : 0) | (isTooLarge ? TOO_LARGE : 0);
  if (count > MAX_TERMS) return toFilter(flags | TOO_MANY, []);
  return toFilter(flags, new Set(Uint32Array.from(terms, hashOf).sort()));
}

/** @param hashes ascending */
export function toFilter(flags: number, hashes: Iterable<number>): Uint8Array {
  const bytes = [flags];
  for (const hash of hashes) bytes.push(hash & 0xff, (hash >>> 8) & 0xff, hash >>> 16);
  return Uint8Array.from(bytes);
}

export const flagsIn = (filter: Uint8Array): number => filter[0] ?? 0;

export const countIn = (filter: Uint8Array): number => (filter.length - 1) / HASH_BYTES;

export const hashAt = (filter: Uint8Array, index: number): number => {
  const at = 1 + index * HASH_BYTES;
  return (filter[at] ?? 0) | ((filter[at + 1] ?? 0) << 8) | ((filter[at + 2] ?? 0) << 16);
};

/** The known terms of an execution. */
export class TermFilter {
  readonly mayHold: (term: Term) => boolean;
  readonly #flags: number;

  constructor(flags: number, mayHold: (term: Term) => boolean) {
    this.mayHold = mayHold;
    this.#flags = flags;
  }

  /** False with too many terms: then the execution has to be read. */
  get isConclusive(): boolean {
    return (this.#flags & TOO_MANY) === 0;
  }

  get hasCutWords(): boolean {
    return (this.#flags & CUT_WORDS) !== 0;
  }

  get isPartial(): boolean {
    return (this.#flags & PARTIAL) !== 0;
  }

  /** Reading it again would take long and could not search all of it. */
  get isTooLarge(): boolean {
    return (this.#flags & TOO_LARGE) !== 0;
  }
}

const FIRST_SLOTS = 512;

/** The distinct terms of one execution. Open addressing, at most half full; two zeros mark an empty slot. */
export class TermSet {
  #slots = new Int32Array(FIRST_SLOTS * 2);
  #count = 0;

  /** More than `MAX_TERMS` if there are too many; counting stops there. */
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
