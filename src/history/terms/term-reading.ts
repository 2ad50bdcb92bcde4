/**
 * Takes the terms of an execution as its payload streams by, from redacted data only.
 *
 * Promises: anything that a search finds has terms, or there is no filter. Both use the same items, redacted with the
 * same keys around them, up to the same sizes (`payload-search.ts`).
 */
import { ItemBounds, type PayloadItem } from "../payload/payload-items.ts";
import type { ExecutionTerms, TermMaker } from "./execution-terms.ts";
import { MAX_TERMS, writeFilter } from "./term-filter.ts";

export interface TermSources {
  readonly maker: TermMaker;
  /** Digest of everything that decides what is redacted: terms under other rules may reveal what these remove. */
  readonly rulesDigest: string;
}

/** Bytes that may still be redacted for terms, shared by all executions that are read together. */
export interface TermAllowance {
  left: number;
}

/** An execution that exceeds the allowance has no filter. */
export interface TermTaking {
  readonly maker: TermMaker;
  readonly allowance: TermAllowance;
}

/** Without repetitions. An execution with more is rarely worth its filter. */
const MAX_DISTINCT_BYTES = 1024 * 1024;

const TOO_LARGE_FILTER = writeFilter({
  terms: [],
  count: MAX_TERMS + 1,
  hasCutWords: false,
  isPartial: true,
  isTooLarge: true,
});

export const takeTerms = ({ maker }: TermSources, bytes: number): TermTaking => ({
  maker,
  allowance: { left: bytes },
});

export class TermReading {
  readonly #terms: ExecutionTerms;
  readonly #allowance: TermAllowance;
  readonly #bounds = new ItemBounds();
  /** Nodes pass on their input, so much of an execution occurs several times. */
  readonly #seen = new Set<string>();
  #distinctBytes = 0;
  #isPartial = false;
  /** An item arrived after the allowance was used up. */
  #isCut = false;

  constructor({ maker, allowance }: TermTaking) {
    this.#terms = maker.begin();
    this.#allowance = allowance;
  }

  get #isTooMuch(): boolean {
    return this.#terms.isFull || this.#isCut || this.#distinctBytes > MAX_DISTINCT_BYTES;
  }

  /** Bytes that the next item may have. */
  get room(): number {
    return this.#isTooMuch || this.#allowance.left <= 0 ? 0 : this.#bounds.room;
  }

  /** @param item null when there was no room for it @returns work to be done later; null when there is none */
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

  /**
   * Called once the execution has ended and all work is done. Null if a filter would say nothing: of one that is too
   * large to be searched it says that, so that no search reads it again.
   */
  filter(isTooLarge: boolean): Uint8Array | null {
    if (!this.#isTooMuch) return this.#terms.filter({ isPartial: this.#isPartial || isTooLarge, isTooLarge });
    return isTooLarge ? TOO_LARGE_FILTER : null;
  }
}
