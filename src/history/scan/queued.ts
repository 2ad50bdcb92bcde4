/**
 * Executions that wait in n8n's queue: n8n accepted them, no worker has taken them, and no list has them. Their ids are
 * above those of all that began, or among the newest of these. They are asked for one by one.
 *
 * Promises: at most 16 are asked for by their ids in a look, and 100 that others have read meanwhile by a scan with its
 * own reading; only an n8n that queues, or has left something in its queue unread, is asked (`queue-probe.ts`); one that
 * was read is remembered, and the lists around it show whether it has begun; an id without an execution is remembered once
 * it can get none; what was not read is counted.
 */
import { cursorBelow } from "../../n8n/execution-cursor.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { counted } from "../../platform/counted.ts";
import { MINUTE_MS } from "../../platform/durations.ts";
import { isBadRequest, ObserverError } from "../../platform/errors.ts";
import { higherOf, isNewer, lowerOf, newestFirst } from "../../platform/id-order.ts";
import { MAX_PAGE_SIZE } from "../reading/page-size.ts";
import { belowOf, countOf, type IdRange, idFrom, newestOf, oldestOf, without } from "../store/gaps.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import type { ScanLedger } from "./ledger.ts";
import { FIRST_WATCHED_IDS } from "./queue-probe.ts";
import { type QueueTop, TopSearch } from "./queue-top.ts";
import type { ScanRanges } from "./ranges.ts";
import type { ScanSession } from "./session.ts";
import { type ListedIds, listedIdsOf, seeNewest } from "./unlisted.ts";
import { hasWindowEnded, isInWindow } from "./window.ts";

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
/** Most lists of what has begun around ids that may wait. */
const MAX_LISTS = 20;
/** Ids without an execution are watched no lower than so far below the newest. */
const MAX_WATCHED_IDS = 5_000;
/** Of those that begin while a scan reads, so many are read one by one. */
const MAX_MEANWHILE = 100;
const HIGHEST_ID = String(2n ** 63n - 1n);

export class QueuedReader {
  readonly #session: ScanSession;
  readonly #ledger: ScanLedger;
  readonly #ranges: ScanRanges;
  readonly #asked = new Set<string>();
  readonly #gone = new Set<string>();
  /** Epoch ms. What began since may have been in no list. */
  readonly #beganAt: number;
  /** @see KnownQueue.beginLook */
  readonly #look: number;
  #closedUpTo = "0";
  #asksLeft = MAX_ASKS;
  #hasFailed = false;
  /** The newest id above all that began of which n8n has just shown that it exists. */
  #newestSeen = "0";
  /** n8n has failed at one id when the end of the queue was looked for. */
  #hasFailedAtTop = false;
  /** Ids without a known execution before anything was listed. */
  #unknownBefore: readonly IdRange[] = [];

  constructor(session: ScanSession, ledger: ScanLedger, ranges: ScanRanges) {
    this.#session = session;
    this.#ledger = ledger;
    this.#ranges = ranges;
    this.#beganAt = session.options.clock.now();
    this.#look = session.options.store.queue.beginLook();
  }

  /** Call this before anything is listed. */
  begin(): void {
    const { own, store, looked } = this.#session.options;
    if (own === null) return;
    const newest = store.executions.newest?.id ?? "0";
    const { lastLook } = store.queue;
    // What is above the end that the look has just found was stored later.
    const isEndKnown = looked !== null && lastLook?.isEnd === true;
    const high = isEndKnown ? lastLook.top : HIGHEST_ID;
    const low = this.#watchedFrom(newest);
    const below = isNewer(low, newest) ? [] : store.stretches.gapsIn({ high: newest, low }).ranges;
    this.#unknownBefore = [...(isNewer(high, newest) ? [{ high, low: idFrom(newest, 1) }] : []), ...below];
  }

  /** Executions that another scan has read since this one began: they may have left the queue meanwhile. */
  async #readByOthers(): Promise<void> {
    await this.#readMeanwhile(() => this.#ranges.readByOthers(this.#unknownBefore));
  }

  /** @param unread ids of those that began while this scan read, and that it has not read */
  async #readMeanwhile(unread: () => readonly string[]): Promise<void> {
    for (const id of unread().slice(0, MAX_MEANWHILE)) {
      if (this.#session.mustStop()) return;
      await this.#ask(id);
    }
    await this.#ledger.checkpoint();
    const left = unread().length;
    const were = counted(
      left,
      "execution that has begun meanwhile was",
      "executions that have begun meanwhile were",
    );
    if (left > 0) this.#ledger.skip(`${were} not read: each further call reads some`);
  }

  /**
   * Call this once everything that is listed was read.
   * @param listed null if the scan did not list what is newest in all of n8n
   */
  async read(listed: ListedIds | null): Promise<void> {
    const { store, window } = this.#session.options;
    // What was queued when the scan began may have begun inside a window that has ended since.
    if (hasWindowEnded(window, this.#beganAt) && !this.#leftSome(window)) return;
    await this.#ledger.checkpoint();
    if (!(await this.#queues(listed))) return;
    // A scan of a part of history does not show which ids have an execution.
    const begun = listed ?? (await this.#listNewest());
    const newest = higherOf(begun?.newest ?? "0", store.queue.newestBegun?.id ?? "0");
    this.#closedUpTo = lowerOf(newest, store.givenIds.closedUpTo);
    await this.#readSome(this.#unsearched(), MAX_ASKS_OF_OLD);
    const notAgain = await this.#readOld(begun?.lowest ?? newest);
    const found = await this.#findTop(newest);
    // An id at which n8n fails may have no execution yet.
    this.#closedUpTo = seeNewest(higherOf(newest, this.#newestSeen), begun, this.#session.options);
    const low = this.#watchedFrom(newest);
    // n8n may have been restored from a backup.
    const usedAgainAbove = lowerOf(newest, store.listed.usedAgainAbove ?? newest);
    const mayWait = (): readonly IdRange[] =>
      without(store.stretches.gapsIn({ high: found.top, low }, usedAgainAbove).ranges, begun?.ids ?? []);
    await this.#readEnds(mayWait());
    await this.#ledger.checkpoint();
    await this.#readByOthers();
    const open = mayWait();
    const left = without(open, [...this.#gone].sort(newestFirst));
    this.#tellUnsearched();
    // Until the end of the queue is found, there is at least one more.
    const beyond = found.isEnd ? 0 : 1;
    const seen = {
      ...found,
      from: listed === null ? low : lowerOf(open.at(-1)?.low ?? newest, newest),
      unread: countOf(left) + notAgain + beyond,
      at: this.#beganAt,
    };
    store.queue.note(seen, this.#look);
  }

  /** The lowest id that may wait. @param newest the newest execution that has begun */
  #watchedFrom(newest: string): string {
    const { lastLook } = this.#session.options.store.queue;
    return higherOf(lastLook?.from ?? belowOf(newest, FIRST_WATCHED_IDS), belowOf(newest, MAX_WATCHED_IDS));
  }

  async #readEnds(ranges: readonly IdRange[]): Promise<void> {
    const { slowReads } = this.#session.options;
    const ends = new Set([...oldestOf(ranges, MAX_ASKS_OF_OLDEST), ...newestOf(ranges, MAX_ASKS)]);
    const wanted = slowReads.leastFailedFirst([...ends]);
    await mapConcurrently(wanted, CONCURRENT_ASKS, async (id) => await this.#read(id));
  }

  /**
   * Looks after those that are known to wait, and that the newest lists no longer show.
   * @param listedDownTo the lowest id of these lists @returns how many may have begun, and were not read
   */
  async #readOld(listedDownTo: string): Promise<number> {
    const { store, own, clock } = this.#session.options;
    const old = store.queue.queued.map(({ id }) => id).filter((id) => isNewer(listedDownTo, id));
    const { begun, unlisted } = await this.#listOld(old);
    const most = own === null ? MAX_ASKS_OF_OLD : MAX_ASKS_OF_OLD / 2;
    await this.#readSome(begun, most);
    // No list shows which of the others n8n has deleted.
    const others = old.filter((id) => !begun.includes(id));
    await this.#readSome(others, Math.max(0, most - begun.length));
    const isLate = (id: string): boolean => clock.now() - store.queue.readAt(id) > READ_LATELY_MS;
    return unlisted.filter(isLate).length + begun.filter((id) => !this.#asked.has(id)).length;
  }

  /** Reads some of those that are known to wait, for a scan that looks for something in them. */
  async readKnown(): Promise<void> {
    const { queues } = await this.#session.options.capabilities.get();
    // Where nothing queues, those that have not begun are read with all that has not ended.
    if (queues === false) return;
    await this.#readSome(this.#unsearched(), MAX_ASKS_OF_OLD);
    await this.#ledger.checkpoint();
    if (queues === true) await this.#readByOthers();
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
    // What is left of a queue is looked at to its end, whatever was forgotten of this n8n since.
    if (queues !== true && (store.queue.lastLook?.unread ?? 0) > 0) return true;
    if (queues !== null) return queues;
    // So is what was known to wait, and is in no list now.
    const isListed = (id: string): boolean => listed !== null && !isNewer(listed.lowest, id);
    if (store.queue.queued.some(({ id }) => !this.#ledger.current.has(id) && !isListed(id))) return true;
    if (listed === null) return false;
    const isUnlisted = (id: string): boolean => isNewer(id, listed.lowest) && !listed.ids.includes(id);
    if (!store.queue.queued.some(({ id }) => this.#ledger.current.has(id) && isUnlisted(id))) return false;
    await capabilities.learn({ queues: true });
    return true;
  }

  /** Lists the newest, down to the lowest id that is watched. */
  async #listNewest(): Promise<ListedIds | null> {
    const known = this.#session.options.store.queue.newestBegun?.id ?? "0";
    const items: ExecutionListItem[] = [];
    let cursor: string | undefined;
    for (let lists = 0; lists < MAX_LISTS; lists += 1) {
      const { executions, nextCursor } = await this.#session.list({ limit: MAX_PAGE_SIZE, cursor });
      items.push(...executions);
      const [highest = "0", lowest = "0"] = [items[0]?.id, items.at(-1)?.id];
      const isDown = !isNewer(lowest, this.#watchedFrom(higherOf(highest, known)));
      if (nextCursor === null || isDown || this.#session.mustStop()) break;
      cursor = nextCursor;
    }
    await this.#readEnded(items);
    return listedIdsOf(items);
  }

  /** Those that have left the queue since this scan listed its window: it has read none of them. */
  async #readEnded(items: readonly ExecutionListItem[]): Promise<void> {
    const { window } = this.#session.options;
    const inWindow = items.filter((item) => isInWindow(window, item));
    await this.#readMeanwhile(() => [...this.#ranges.changedOf(inWindow)]);
  }

  /**
   * Which of those that the newest lists no longer show have begun: a list of their neighbours has these.
   * @returns those that have, and those of which no list was made
   */
  async #listOld(old: readonly string[]): Promise<{ readonly begun: string[]; readonly unlisted: string[] }> {
    const begun: string[] = [];
    let unlisted = old.toSorted(newestFirst);
    for (let lists = 0; lists < MAX_LISTS && unlisted[0] !== undefined; lists += 1) {
      if (this.#session.mustStop()) break;
      const cursor = cursorBelow(idFrom(unlisted[0], 1), MAX_PAGE_SIZE);
      try {
        const { executions, nextCursor } = await this.#session.list({ limit: MAX_PAGE_SIZE, cursor });
        // After a restart, n8n lists what waits, too.
        const ids = new Set(executions.filter(({ status }) => status !== "new").map(({ id }) => id));
        const lowest = nextCursor === null ? "0" : (executions.at(-1)?.id ?? "0");
        begun.push(...unlisted.filter((id) => ids.has(id)));
        unlisted = unlisted.filter((id) => isNewer(lowest, id));
      } catch (error) {
        // Its cursors cannot be made by hand.
        if (!isBadRequest(error)) throw error;
        break;
      }
    }
    return { begun, unlisted };
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

  /** Null if n8n fails again: once, it may be at an execution that is there. */
  async #exists(id: string): Promise<boolean | null> {
    this.#asksLeft -= 1;
    const item = await this.#session.itemOf(id);
    if (!(item instanceof ObserverError)) {
      if (item !== null) this.#newestSeen = higherOf(this.#newestSeen, id);
      return item !== null;
    }
    this.#hasFailed = this.#hasFailedAtTop;
    this.#hasFailedAtTop = true;
    return this.#hasFailed ? null : true;
  }

  async #read(id: string): Promise<void> {
    if (!this.#mayAsk() || this.#asked.has(id)) return;
    this.#asksLeft -= 1;
    await this.#ask(id);
  }

  async #ask(id: string): Promise<void> {
    const { slowReads, clock } = this.#session.options;
    const askedAt = clock.now();
    const outcome = await this.#session.readOne(id);
    if (outcome instanceof ObserverError) {
      this.#hasFailed = true;
      slowReads.failedAgain(id, clock.now() - askedAt, clock.now());
    } else this.#noteAsked(id, askedAt);
    if (outcome !== "gone") return;
    this.#gone.add(id);
    this.#ledger.noteDeleted(id, askedAt);
    if (!isNewer(id, this.#closedUpTo)) this.#ledger.noteEmpty(id);
  }

  #noteAsked(id: string, askedAt: number): void {
    const { store, slowReads } = this.#session.options;
    this.#asked.add(id);
    slowReads.came([id]);
    store.queue.noteRead(id, askedAt);
  }
}
