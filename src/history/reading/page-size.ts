/**
 * The number of executions per page: about `TARGET_BYTES`, at most n8n's maximum, and half as many after n8n fails. A
 * search uses small pages while other users call, because n8n is single-threaded: a large page blocks it. Pure.
 */
import type { SharedThread } from "./shared-thread.ts";

/** n8n's maximum, with and without data. A page costs n8n about 13 ms in addition to its executions. */
export const MAX_PAGE_SIZE = 250;
/** Used until the size of executions is known. */
export const FIRST_PAGE_SIZE = 100;
const TARGET_BYTES = 8 * 1024 * 1024;
const SHARED_LIMITS = { executions: 25, bytes: 512 * 1024 };
/** Limits growth, because the next executions may be larger. From the first page, n8n's maximum is one step away. */
const MAX_GROWTH = 2.5;

interface PageSizeOptions {
  readonly first?: number;
  /** For a search, whose pages are small while other users call. */
  readonly thread?: Pick<SharedThread, "isShared">;
}

export class PageSize {
  #current: number;
  #bytes = 0;
  #bytesOfOne = 1;
  readonly #thread: Pick<SharedThread, "isShared"> | undefined;

  constructor({ first = FIRST_PAGE_SIZE, thread }: PageSizeOptions = {}) {
    this.#current = first;
    this.#thread = thread;
  }

  /** The total of all pages so far. */
  get bytes(): number {
    return this.#bytes;
  }

  get current(): number {
    if (this.#thread?.isShared !== true) return this.#current;
    const fitting = Math.floor(SHARED_LIMITS.bytes / this.#bytesOfOne);
    return Math.max(1, Math.min(this.#current, SHARED_LIMITS.executions, fitting));
  }

  note(executions: number, bytes: number): void {
    this.#bytes += bytes;
    if (executions === 0) return;
    this.#bytesOfOne = Math.max(1, bytes / executions);
    const fitting = Math.floor(TARGET_BYTES / this.#bytesOfOne);
    const grown = Math.ceil(this.#current * MAX_GROWTH);
    this.#current = Math.max(1, Math.min(MAX_PAGE_SIZE, fitting, grown));
  }

  /** The next page has one execution; the size grows again from there. */
  restart(): void {
    this.#current = 1;
  }

  halve(): void {
    this.#current = Math.max(1, Math.floor(this.current / 2));
  }
}
