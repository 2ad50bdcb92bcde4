/**
 * Takes the terms of an execution as its payload passes by: of what redaction leaves standing, and of nothing else.
 *
 * Promises: whatever a search finds has terms, or there is no filter: it takes the same items, redacted in the same
 * company, up to the same sizes (`payload-search.ts`).
 */
import { ItemBounds, type PayloadItem } from "../payload/payload-items.ts";
import type { ExecutionTerms, TermMaker } from "./execution-terms.ts";

/** What terms are made with. */
export interface TermSources {
  readonly maker: TermMaker;
  /** Of all that decides what is redacted. Terms that were made under other rules may tell what these take away. */
  readonly rulesDigest: string;
}

/** How many bytes of payload may still be redacted for terms, of all executions that are read together. */
export interface TermAllowance {
  left: number;
}

/** Makes terms as long as there is time for it: an execution that there was none for has no filter. */
export interface TermTaking {
  readonly maker: TermMaker;
  readonly allowance: TermAllowance;
}

/** Of one execution, without what comes again: what has more is rarely worth its filter, and takes long. */
const MAX_DISTINCT_BYTES = 1024 * 1024;

export const takeTerms = ({ maker }: TermSources, bytes: number): TermTaking => ({
  maker,
  allowance: { left: bytes },
});

export class TermReading {
  readonly #terms: ExecutionTerms;
  readonly #allowance: TermAllowance;
  readonly #bounds = new ItemBounds();
  /** Nodes hand on what they were given: much of an execution is there several times. */
  readonly #seen = new Set<string>();
  #distinctBytes = 0;
  #isPartial = false;
  /** There was something, and nothing left of the allowance. */
  #isCut = false;

  constructor({ maker, allowance }: TermTaking) {
    this.#terms = maker.begin();
    this.#allowance = allowance;
  }

  get #isTooMuch(): boolean {
    return this.#terms.isFull || this.#isCut || this.#distinctBytes > MAX_DISTINCT_BYTES;
  }

  /** How many bytes the next item may have. */
  get room(): number {
    return this.#isTooMuch || this.#allowance.left <= 0 ? 0 : this.#bounds.room;
  }

  /**
   * @param item null when there was no room for it
   * @returns the work that it is, to be done later; null when there is none
   */
  see(item: PayloadItem | null): (() => Promise<void>) | null {
    this.#isCut ||= this.#allowance.left <= 0;
    if (item === null || item.value === undefined || item.byteLength > this.room) {
      this.#isPartial = true;
      return null;
    }
    this.#bounds.take(item);
    if (this.#seen.has(item.text)) return null;
    this.#seen.add(item.text);
    this.#distinctBytes += item.byteLength;
    this.#allowance.left -= item.byteLength;
    return async () => {
      if (!this.#isTooMuch) this.#terms.add(await item.redacted());
    };
  }

  /** To be called once the execution has passed and all work is done. Null where a filter would tell nothing. */
  filter(): Uint8Array | null {
    return this.#isTooMuch ? null : this.#terms.filter(this.#isPartial);
  }
}
