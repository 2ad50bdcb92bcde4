/**
 * Reads the executions in n8n's queue, one by one: n8n accepted them, no worker has taken them, and no list has them.
 * Their ids are above those of all that began, or among the newest of these.
 *
 * Promises: requests are sent only if n8n queues (`queue-probe.ts`) or the last look left queued executions unread; they
 * are limited by `queue-requests.ts` and `started-during-scan.ts`. A queued execution is read once, until the lists
 * around its id show that it has begun. Those not read are counted.
 */
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { counted } from "../../platform/counted.ts";
import { MINUTE_MS } from "../../platform/durations.ts";
import { higherOf, isNewer, lowerOf } from "../../platform/id-order.ts";
import { belowOf, countOf, type IdRange, newestOf, oldestOf, without } from "../store/gaps.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import type { ScanLedger } from "./ledger.ts";
import { listBegun, listNewest } from "./queue-lists.ts";
import { FIRST_WATCHED_IDS, isInNoList } from "./queue-probe.ts";
import { MAX_REQUESTS, QueueRequests } from "./queue-requests.ts";
import { type QueueTop, TopSearch } from "./queue-top.ts";
import type { ScanSession } from "./session.ts";
import { StartedDuringScan } from "./started-during-scan.ts";
import { type ListedIds, listedIdsOf, noteNewest } from "./unlisted.ts";
import { hasWindowEnded } from "./window.ts";

const CONCURRENT_REQUESTS = 2;
/** Maximum of the requests that go into finding the highest id. */
const MAX_REQUESTS_FOR_TOP = 12;
/** Maximum of them that go into executions that lists no longer show. */
const MAX_REQUESTS_OF_OLD = 8;
/** Of the remaining ones, this many are the oldest; the rest are the newest, which people ask about. */
const MAX_REQUESTS_OF_OLDEST = 4;
/** The contents of a queued execution do not change, so it need not be read again within this time. */
const REREAD_AFTER_MS = MINUTE_MS;
/** Ids without an execution are watched down to this far below the newest. */
const MAX_WATCHED_IDS = 5_000;

export class QueuedReader {
  readonly #session: ScanSession;
  readonly #ledger: ScanLedger;
  readonly #requests: QueueRequests;
  readonly #started: StartedDuringScan;
  /** Epoch ms. Executions that began later may have been in no list. */
  readonly #scanBeganAt: number;
  /** @see KnownQueue.beginLook */
  readonly #look: number;

  constructor(session: ScanSession) {
    this.#session = session;
    this.#ledger = session.ledger;
    this.#requests = new QueueRequests(session);
    this.#started = new StartedDuringScan(session, this.#requests);
    this.#scanBeganAt = session.options.clock.now();
    this.#look = session.options.store.queue.beginLook();
  }

  /** Call this before anything is listed. */
  begin(): void {
    this.#started.begin(this.#watchedFrom(this.#session.options.store.executions.newest?.id ?? "0"));
  }

  /** Call this once everything listed was read. @param listed null if the scan did not list the newest executions */
  async read(listed: ListedIds | null): Promise<void> {
    const { store, window } = this.#session.options;
    // An execution that was queued when the scan began may have begun inside a window that has ended since.
    if (hasWindowEnded(window, this.#scanBeganAt) && !this.#leftUnread(window)) return;
    await this.#ledger.checkpoint();
    if (!(await this.#queues(listed))) return await this.#readUnconfirmed(listed);
    // A scan of a part of history does not show which ids have an execution.
    const begun = listed ?? (await this.#listNewest());
    const newest = higherOf(begun?.newest ?? "0", store.queue.newestBegun?.id ?? "0");
    this.#requests.closedUpTo = lowerOf(newest, store.givenIds.closedUpTo);
    await this.#requests.readSome(this.#unsearchedIds(), MAX_REQUESTS_OF_OLD);
    const unreadOld = await this.#readOld(begun?.lowest ?? newest);
    const found = await this.#findTop(newest);
    // An id at which n8n fails may have no execution yet.
    this.#requests.closedUpTo = noteNewest(
      higherOf(newest, this.#requests.newestSeen),
      begun,
      this.#session.options,
    );
    const low = this.#watchedFrom(newest);
    // n8n may have been restored from a backup.
    const usedAgainAbove = lowerOf(newest, store.listed.usedAgainAbove ?? newest);
    const mayWait = (): readonly IdRange[] =>
      without(store.stretches.gapsIn({ high: found.top, low }, usedAgainAbove).ranges, begun?.ids ?? []);
    await this.#readEnds(mayWait());
    await this.#ledger.checkpoint();
    await this.#started.readByOthers();
    const open = mayWait();
    const left = without(open, this.#requests.missing);
    this.#reportUnsearched();
    // Until the end of the queue is found, there is at least one more.
    const beyond = found.isEnd ? 0 : 1;
    const seen = {
      ...found,
      from: listed === null ? low : lowerOf(open.at(-1)?.low ?? newest, newest),
      unread: countOf(left) + unreadOld + beyond,
      at: this.#scanBeganAt,
    };
    store.queue.note(seen, this.#look);
  }

  /** The lowest id that may be queued. @param newest the newest execution that has begun */
  #watchedFrom(newest: string): string {
    const { lastLook } = this.#session.options.store.queue;
    return higherOf(lastLook?.from ?? belowOf(newest, FIRST_WATCHED_IDS), belowOf(newest, MAX_WATCHED_IDS));
  }

  async #readEnds(ranges: readonly IdRange[]): Promise<void> {
    const { slowReads } = this.#session.options;
    const ends = new Set([...oldestOf(ranges, MAX_REQUESTS_OF_OLDEST), ...newestOf(ranges, MAX_REQUESTS)]);
    const wanted = slowReads.leastFailedFirst([...ends]);
    await mapConcurrently(wanted, CONCURRENT_REQUESTS, async (id) => await this.#requests.read(id));
  }

  /** Checks known queued executions that the newest lists no longer show. @returns how many may have begun unread */
  async #readOld(listedDownTo: string): Promise<number> {
    const { store, ownReads, clock } = this.#session.options;
    const old = store.queue.queued.map(({ id }) => id).filter((id) => isNewer(listedDownTo, id));
    const { begun, unlisted } = await listBegun(this.#session, old);
    const most = ownReads === null ? MAX_REQUESTS_OF_OLD : MAX_REQUESTS_OF_OLD / 2;
    await this.#requests.readSome(begun, most);
    // No list shows which of the others n8n has deleted.
    const others = old.filter((id) => !begun.includes(id));
    await this.#requests.readSome(others, Math.max(0, most - begun.length));
    const isLate = (id: string): boolean => clock.now() - store.singleReadTimes.askedAt(id) > REREAD_AFTER_MS;
    return unlisted.filter(isLate).length + begun.filter((id) => !this.#requests.hasAnswer(id)).length;
  }

  /** Reads some of the executions known to be queued, for a scan that searches them. */
  async readKnown(): Promise<void> {
    const { queues } = await this.#session.options.capabilities.get();
    // Without a queue, executions that have not begun are read with the unfinished ones.
    if (queues === false) return;
    await this.#requests.readSome(this.#unsearchedIds(), MAX_REQUESTS_OF_OLD);
    await this.#ledger.checkpoint();
    if (queues === true) await this.#started.readByOthers();
    this.#reportUnsearched();
  }

  /** Queued executions that a scan with `ownReads` has not read itself. */
  #unsearchedIds(): readonly string[] {
    const { store, ownReads, window, clock } = this.#session.options;
    if (ownReads === null) return [];
    const { queue, singleReadTimes } = store;
    // One that was still queued after the window's end cannot have begun in it; one that was read earlier may have.
    const isOver = hasWindowEnded(window, clock.now());
    const isRead = (id: string): boolean =>
      isOver ? hasWindowEnded(window, singleReadTimes.askedAt(id)) : ownReads.hasReadQueued(id);
    return queue.queued.map(({ id }) => id).filter((id) => !this.#ledger.current.has(id) && !isRead(id));
  }

  #reportUnsearched(): void {
    const count = this.#unsearchedIds().length;
    if (count > 0)
      this.#ledger.skip(`${counted(count, "execution")} in n8n's queue: each further call reads some`);
  }

  /** True if the last look left executions unread that may have begun in the window since. */
  #leftUnread(window: TraceWindow): boolean {
    const { lastLook } = this.#session.options.store.queue;
    return lastLook !== null && lastLook.unread > 0 && !hasWindowEnded(window, lastLook.at);
  }

  /**
   * An execution that was just read, has not begun and is in no list, even in a newer one, proves that n8n queues.
   */
  async #queues(listed: ListedIds | null): Promise<boolean> {
    const { store, capabilities, client, clock } = this.#session.options;
    const { queues } = await capabilities.get();
    // A known queue is followed to its end, even if this n8n's capabilities were forgotten since.
    if (queues !== true && (store.queue.lastLook?.unread ?? 0) > 0) return true;
    if (queues !== null) return queues;
    if (listed === null) return false;
    const isUnlisted = (id: string): boolean => isNewer(id, listed.lowest) && !listed.ids.includes(id);
    const newlyRead = store.queue.queued.find(({ id }) => this.#ledger.current.has(id) && isUnlisted(id));
    if (newlyRead === undefined) return false;
    const { deadline } = this.#session.reading;
    if (!(await isInNoList(newlyRead.id, { client, clock, deadline }))) return false;
    await capabilities.learn({ queues: true });
    return true;
  }

  /** While it is not known whether n8n queues, reads executions again that had not begun: they may have ended since. */
  async #readUnconfirmed(listed: ListedIds | null): Promise<void> {
    const { store, capabilities, window } = this.#session.options;
    if ((await capabilities.get()).queues !== null) return;
    const isListed = (id: string): boolean => listed !== null && !isNewer(listed.lowest, id);
    // A scan of one workflow confirms no execution of another.
    const ids = store.queue.queued
      .filter(({ workflowId }) => [null, workflowId].includes(window.workflowId))
      .map(({ id }) => id)
      .filter((id) => !this.#ledger.current.has(id) && !isListed(id));
    await this.#requests.readSome(ids, MAX_REQUESTS_OF_OLD);
    const left = ids.filter((id) => !this.#requests.hasAnswer(id)).length;
    if (left > 0)
      this.#ledger.skip(`${counted(left, "execution")} that had not begun: each further call reads some`);
  }

  /** Lists the newest executions, down to the lowest watched id. */
  async #listNewest(): Promise<ListedIds | null> {
    const known = this.#session.options.store.queue.newestBegun?.id ?? "0";
    const items = await listNewest(this.#session, (newest) => this.#watchedFrom(higherOf(newest, known)));
    await this.#started.readListed(items);
    return listedIdsOf(items);
  }

  async #findTop(newest: string): Promise<QueueTop> {
    const { lastLook } = this.#session.options.store.queue;
    let most = MAX_REQUESTS_FOR_TOP;
    const exists = async (id: string): Promise<boolean | null> => {
      most -= 1;
      return await this.#requests.exists(id);
    };
    const mayRequest = (): boolean => most > 0 && this.#requests.mayRequest;
    return await new TopSearch({ newest, lastLook, exists, mayRequest }).find();
  }
}
