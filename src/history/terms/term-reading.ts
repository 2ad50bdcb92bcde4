/**
 * Extracts the terms of an execution while its payload streams in, from redacted data only.
 *
 * Promises: anything that a search can find has terms, or there is no filter. Both use the same items, redacted with
 * the same keys around them, up to the same sizes (`payload-search.ts`).
 */
import { ItemBounds, type PayloadItem } from "../payload/payload-items.ts";
import type { ExecutionTerms, TermMaker } from "./execution-terms.ts";
import { MAX_TERMS, writeFilter } from "./term-filter.ts";

export interface TermSources {
  readonly maker: TermMaker;
  /** Digest of all redaction rules: terms made under other rules may reveal what these remove. */
  readonly rulesDigest: string;
}

/** Shared by all executions that are read together. */
export interface TermTaking {
  readonly maker: TermMaker;
  /** Bytes that may still be redacted for terms: an execution that exceeds them has no filter. */
  bytesLeft: number;
}

/** Without repeated items. An execution with more is rarely worth its filter. */
const MAX_DISTINCT_BYTES = 1024 * 1024;

const TOO_LARGE_FILTER = writeFilter({
  terms: [],
  count: MAX_TERMS + 1,
  hasCutWords: false,
  isPartial: true,
  isTooLarge: true,
});

export const takeTerms = ({ maker }: TermSources, bytes: number): TermTaking => ({ maker, bytesLeft: bytes });

export class TermReading {
  readonly #terms: ExecutionTerms;
  readonly #taking: TermTaking;
  readonly #bounds = new ItemBounds();
  /** Texts of items seen: nodes pass on their input, so items often occur several times. */
  readonly #seen = new Set<string>();
  #distinctBytes = 0;
  #isPartial = false;
  /** An item arrived after no bytes were left. */
  #isCut = false;

  constructor(taking: TermTaking) {
    this.#terms = taking.maker.begin();
    this.#taking = taking;
  }

  get #isTooMuch(): boolean {
    return this.#terms.isFull || this.#isCut || this.#distinctBytes > MAX_DISTINCT_BYTES;
  }

  /** Maximum bytes of the next item. */
  get room(): number {
    return this.#isTooMuch || this.#taking.bytesLeft <= 0 ? 0 : this.#bounds.room;
  }

  /** @param item null if it exceeded the room @returns work to be done later; null if there is none */
  see(item: PayloadItem | null): (() => Promise<void>) | null {
    this.#isCut ||= this.#taking.bytesLeft <= 0;
    if (item === null || item.value === undefined || item.byteLength > this.room) {
      this.#isPartial = true;
      return null;
    }
    this.#bounds.take(item);
    if (this.#seen.has(item.text)) return null;
    this.#seen.add(item.text);
    this.#distinctBytes += item.byteLength;
    this.#taking.bytesLeft -= item.byteLength;
    return async () => {
      if (!this.#isTooMuch) this.#terms.add(await item.redacted());
    };
  }

  /**
   * Called after the execution has ended and all work is done. Null if a filter would say nothing. An execution that is
   * too large to be searched gets a filter that says so, so that no search reads it again.
   */
  filter(isTooLarge: boolean): Uint8Array | null {
    if (!this.#isTooMuch) return this.#terms.filter({ isPartial: this.#isPartial || isTooLarge, isTooLarge });
    return isTooLarge ? TOO_LARGE_FILTER : null;
  }
}
