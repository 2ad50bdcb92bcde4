/**
 * Executions that wait in n8n's queue: n8n accepted them, no worker has taken them, and no list has them. Their ids are
 * above those of all that began, or among the newest of these. They are asked for one by one.
 *
 * Promises: at most 16 requests a look; only an n8n that is known to queue is asked (`queue-probe.ts`); one that was read
 * is remembered, and read again only when n8n's lists can no longer show that it began; an id without an execution is
 * remembered once it can get none; what was not read is counted.
 */
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { counted } from "../../platform/counted.ts";
import { MINUTE_MS } from "../../platform/durations.ts";
import { ObserverError } from "../../platform/errors.ts";
import { higherOf, isNewer, lowerOf, newestFirst } from "../../platform/id-order.ts";
import { MAX_PAGE_SIZE } from "../reading/page-size.ts";
import { belowOf, countOf, type IdRange, newestOf, oldestOf, without } from "../store/gaps.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import type { ScanLedger } from "./ledger.ts";
import { FIRST_WATCHED_IDS } from "./queue-probe.ts";
import { type QueueTop, TopSearch } from "./queue-top.ts";
import type { ScanSession } from "./session.ts";
import { type ListedIds, listedIdsOf, seeNewest } from "./unlisted.ts";
import { hasWindowEnded } from "./window.ts";

const MAX_ASKS = 16;
const CONCURRENT_ASKS = 2;
/** Of these, as many may go into finding the highest id. */
const MAX_ASKS_FOR_TOP = 12;
/** Of these, as many may go into executions that lists no longer show. */
const MAX_ASKS_OF_OLD = 8;
/** Of all others, as many are the oldest; the rest are the newest, which people ask for. */
const MAX_ASKS_OF_OLDEST = 4;
/** One that was read so lately need not be read again for a look to be whole: what it holds does not change. */
const READ_LATELY_MS = MINUTE_MS;
/** Ids without an execution are watched no lower than so far below the newest. */
const MAX_WATCHED_IDS = 5_000;

export class QueuedReader {
  readonly #session: ScanSession;
  readonly #ledger: ScanLedger;
  readonly #asked = new Set<string>();
  readonly #gone = new Set<string>();
  #closedUpTo = "0";
  #asksLeft = MAX_ASKS;
  #hasFailed = false;

  constructor(session: ScanSession, ledger: ScanLedger) {
    this.#session = session;
    this.#ledger = ledger;
  }

  /**
   * Call this once everything that is listed was read.
   * @param listed null if the scan did not list what is newest in all of n8n
   */
  async read(listed: ListedIds | null): Promise<void> {
    const { store, clock, window, own, slowReads } = this.#session.options;
    if (hasWindowEnded(window, clock.now()) && !this.#leftSome(window)) return;
    await this.#ledger.checkpoint();
    if (!(await this.#queues(listed))) return;
    // A scan of a part of history does not show which ids have an execution.
    const begun = listed ?? (await this.#listNewest());
    const newest = higherOf(begun?.newest ?? "0", store.queue.newestBegun?.id ?? "0");
    this.#closedUpTo = seeNewest(newest, begun, this.#session.options);
    const from = store.queue.lastLook?.from ?? belowOf(newest, FIRST_WATCHED_IDS);
    const watchedFrom = higherOf(from, belowOf(newest, MAX_WATCHED_IDS));
    const low = listed === null ? higherOf(watchedFrom, begun?.lowest ?? newest) : watchedFrom;
    const listedDownTo = begun?.lowest ?? newest;
    const queued = store.queue.queued.map(({ id }) => id);
    const old = queued.filter((id) => isNewer(listedDownTo, id));
    await this.#readSome(this.#unsearched(), MAX_ASKS_OF_OLD);
    await this.#readSome(old, own === null ? MAX_ASKS_OF_OLD : MAX_ASKS_OF_OLD / 2);
    const found = await this.#findTop(newest);
    const mayWait = (): readonly IdRange[] =>
      without(store.stretches.gapsIn({ high: found.top, low }).ranges, begun?.ids ?? []);
    const ranges = mayWait();
    const ends = new Set([...oldestOf(ranges, MAX_ASKS_OF_OLDEST), ...newestOf(ranges, MAX_ASKS)]);
    const wanted = slowReads.leastFailedFirst([...ends]);
    await mapConcurrently(wanted, CONCURRENT_ASKS, async (id) => await this.#read(id));
    await this.#ledger.checkpoint();
    const open = mayWait();
    const left = without(open, [...this.#gone].sort(newestFirst));
    this.#tellUnsearched();
    const isLate = (id: string): boolean => clock.now() - store.queue.readAt(id) > READ_LATELY_MS;
    const notAgain = old.filter(isLate).length;
    // Until the end of the queue is found, there is at least one more.
    const beyond = found.isEnd ? 0 : 1;
    const unread = countOf(left) + notAgain + beyond;
    store.queue.note({
      ...found,
      from: listed === null ? from : lowerOf(open.at(-1)?.low ?? newest, newest),
      unread,
      at: clock.now(),
    });
  }

  /** Reads some of those that are known to wait, for a scan that looks for something in them. */
  async readKnown(): Promise<void> {
    const { capabilities } = this.#session.options;
    // Where nothing queues, those that have not begun are read with all that has not ended.
    if ((await capabilities.get()).queues === false) return;
    await this.#readSome(this.#unsearched(), MAX_ASKS_OF_OLD);
    await this.#ledger.checkpoint();
    this.#tellUnsearched();
  }

  /** What a scan with its own reading looks for may stand in any that it has not read. */
  #unsearched(): readonly string[] {
    const { store, own, window, clock } = this.#session.options;
    if (own === null) return [];
    const { queue } = store;
    // One that still waited after the window's end did not begin in it; one that was read before may have.
    const isOver = hasWindowEnded(window, clock.now());
    const isRead = (id: string): boolean =>
      isOver ? hasWindowEnded(window, queue.readAt(id)) : own.hasReadQueued(id);
    return queue.queued.map(({ id }) => id).filter((id) => !this.#ledger.current.has(id) && !isRead(id));
  }

  #tellUnsearched(): void {
    const count = this.#unsearched().length;
    if (count > 0)
      this.#ledger.skip(`${counted(count, "execution")} in n8n's queue: each further call reads some`);
  }

  /** Those that were not read for longest. */
  async #readSome(ids: readonly string[], most: number): Promise<void> {
    const { store, slowReads } = this.#session.options;
    const { queue } = store;
    const longestAgo = ids.toSorted((a, b) => queue.readAt(a) - queue.readAt(b));
    // A look ends at a failure.
    for (const id of slowReads.leastFailedFirst(longestAgo).slice(0, most)) await this.#read(id);
  }

  /** True if the last look left executions unread that may have begun in the window since. */
  #leftSome(window: TraceWindow): boolean {
    const { lastLook } = this.#session.options.store.queue;
    return lastLook !== null && lastLook.unread > 0 && !hasWindowEnded(window, lastLook.at);
  }

  /** One that was just read, has not begun and is in no list shows that n8n queues. */
  async #queues(listed: ListedIds | null): Promise<boolean> {
    const { store, capabilities } = this.#session.options;
    const { queues } = await capabilities.get();
    if (queues !== null || listed === null) return queues === true;
    const isUnlisted = (id: string): boolean => isNewer(id, listed.lowest) && !listed.ids.includes(id);
    if (!store.queue.queued.some(({ id }) => this.#ledger.current.has(id) && isUnlisted(id))) return false;
    await capabilities.learn({ queues: true });
    return true;
  }

  async #listNewest(): Promise<ListedIds | null> {
    const { executions } = await this.#session.list({ limit: MAX_PAGE_SIZE });
    return listedIdsOf(executions);
  }

  async #findTop(newest: string): Promise<QueueTop> {
    const { lastLook } = this.#session.options.store.queue;
    let most = MAX_ASKS_FOR_TOP;
    const exists = async (id: string): Promise<boolean | null> => {
      most -= 1;
      return await this.#exists(id);
    };
    const mayAsk = (): boolean => most > 0 && this.#mayAsk();
    return await new TopSearch({ newest, lastLook, exists, mayAsk }).find();
  }

  #mayAsk(): boolean {
    return this.#asksLeft > 0 && !this.#hasFailed && !this.#session.mustStop();
  }

  /** Null if n8n fails. */
  async #exists(id: string): Promise<boolean | null> {
    this.#asksLeft -= 1;
    const item = await this.#session.itemOf(id);
    if (!(item instanceof ObserverError)) return item !== null;
    this.#hasFailed = true;
    return null;
  }

  async #read(id: string): Promise<void> {
    if (!this.#mayAsk() || this.#asked.has(id)) return;
    this.#asksLeft -= 1;
    const { slowReads, clock } = this.#session.options;
    const askedAt = clock.now();
    const outcome = await this.#session.readOne(id);
    if (outcome instanceof ObserverError) {
      this.#hasFailed = true;
      slowReads.failedAgain(id, clock.now() - askedAt, clock.now());
    } else this.#noteAsked(id);
    if (outcome !== "gone") return;
    this.#gone.add(id);
    this.#ledger.noteDeleted(id);
    if (!isNewer(id, this.#closedUpTo)) this.#ledger.noteEmpty(id);
  }

  #noteAsked(id: string): void {
    const { store, clock, slowReads } = this.#session.options;
    this.#asked.add(id);
    slowReads.came([id]);
    store.queue.noteRead(id, clock.now());
  }
}
