/**
 * Requests executions by id, for a look at n8n's queue.
 *
 * Promises: at most 16 requests per look, and none after n8n has failed (`readUnlimited` has no such limit); no id is
 * read twice; an id without an execution is remembered once it can never get one.
 */
import { ObserverError } from "../../platform/errors.ts";
import { higherOf, isNewer, newestFirst } from "../../platform/id-order.ts";
import type { ScanSession } from "./session.ts";

export const MAX_REQUESTS = 16;

export class QueueRequests {
  /** This id and all below it can get no execution any more. */
  closedUpTo = "0";
  readonly #session: ScanSession;
  readonly #answered = new Set<string>();
  readonly #missing = new Set<string>();
  #requestsLeft = MAX_REQUESTS;
  #hasFailed = false;
  #hasFailedAtTop = false;
  #newestSeen = "0";

  constructor(session: ScanSession) {
    this.#session = session;
  }

  get mayRequest(): boolean {
    return this.#requestsLeft > 0 && !this.#hasFailed && !this.#session.mustStop();
  }

  /** The newest id that `exists` has found; "0" if none. */
  get newestSeen(): string {
    return this.#newestSeen;
  }

  /** Ids that turned out to have no execution, newest first. */
  get missing(): readonly string[] {
    return [...this.#missing].sort(newestFirst);
  }

  /** True if n8n has returned the execution, or has none with this id. */
  hasAnswer(id: string): boolean {
    return this.#answered.has(id);
  }

  /** Null if n8n fails twice: one failure may be due to an execution that exists. */
  async exists(id: string): Promise<boolean | null> {
    this.#requestsLeft -= 1;
    const item = await this.#session.itemOf(id);
    if (!(item instanceof ObserverError)) {
      if (item !== null) this.#newestSeen = higherOf(this.#newestSeen, id);
      return item !== null;
    }
    this.#hasFailed = this.#hasFailedAtTop;
    this.#hasFailedAtTop = true;
    return this.#hasFailed ? null : true;
  }

  async read(id: string): Promise<void> {
    if (!this.mayRequest || this.#answered.has(id)) return;
    this.#requestsLeft -= 1;
    await this.#request(id);
  }

  /** Reads those that were not read for the longest time. */
  async readSome(ids: readonly string[], most: number): Promise<void> {
    const { store, slowReads } = this.#session.options;
    // A look ends at a failure, so those that failed least come first.
    const inTurn = slowReads.leastFailedFirst(store.singleReadTimes.longestAgoFirst(ids));
    for (const id of inTurn.slice(0, most)) await this.read(id);
  }

  /** Reads executions that began during the look, without its limit. */
  async readUnlimited(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      if (this.#session.mustStop()) return;
      await this.#request(id);
    }
  }

  async #request(id: string): Promise<void> {
    const askedAt = this.#session.options.clock.now();
    const outcome = await this.#session.readOne(id);
    if (outcome instanceof ObserverError) {
      this.#hasFailed = true;
      return;
    }
    this.#answered.add(id);
    if (outcome !== "gone") return;
    this.#missing.add(id);
    this.#session.ledger.noteDeleted(id, askedAt);
    if (!isNewer(id, this.closedUpTo)) this.#session.ledger.noteEmpty(id);
  }
}
