/**
 * Reads the running executions: they are only in their own list, and n8n may add to their data at any time.
 *
 * Promises: up to `MAX_LISTED` are listed, without data. Those whose data may have changed (`store/running-looks.ts`)
 * are read: first those never read, newest first, then those read longest ago. At least one page is read; more within
 * about `MAX_BYTES`, `MAX_PAGES` requests and a share of the remaining time. The others are counted; those never read
 * are stored as unread. A scan with `ownReads` reads the rest at its end.
 */
import { mayPass } from "../../n8n/back-off.ts";
import { cursorBelow } from "../../n8n/execution-cursor.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { isBadRequest } from "../../platform/errors.ts";
import { isNewer, newestFirst } from "../../platform/id-order.ts";
import { PageSize } from "../reading/page-size.ts";
import { readPage } from "../reading/read-executions.ts";
import { type Reading, type ReadingEvents, type ReadOptions, replaceRead } from "../reading/reading.ts";
import { RepeatedPage } from "../reading/repeated-page.ts";
import { RUNS, RUNS_UNREAD } from "../store/memorable-execution.ts";
import { FIRST_RUNNING_PAGE } from "../store/running-looks.ts";
import { MAX_LISTED } from "../store/tables.ts";
import { isWholeHistory } from "../store/trace-window.ts";
import type { TracedExecution } from "../store/traced-execution.ts";
import { runsOf } from "./jobs.ts";
import type { ScanLedger } from "./ledger.ts";
import type { ScanRanges } from "./ranges.ts";
import type { ScanSession } from "./session.ts";
import type { StatusLists } from "./status-lists.ts";
import { isInWindow } from "./window.ts";

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_PAGES = 16;
/** Maximum executions that ended before they were read and are read one by one; other lists show the rest. */
const MAX_SINGLES = 50;
/** Of the remaining time: ended executions must not wait for all running ones where n8n is slow. */
const SHARE_OF_TIME = 1 / 4;
/** Read through gaps of up to this many unwanted executions, instead of sending another request. */
const MAX_BETWEEN = 3;
/** If at most this many more are running than at the last look, one request still returns them all. */
const MAX_ADDED = 4;

export class RunningReader {
  readonly #session: ScanSession;
  readonly #ledger: ScanLedger;
  readonly #ranges: ScanRanges;
  readonly #lists: StatusLists;
  /** Separate, because running executions may be larger or smaller than ended ones. */
  readonly #pageSize: PageSize;
  readonly #listed = new Set<string>();
  /** Below this id, unlisted executions may be running; null if all were listed. */
  #listedTo: string | null = null;
  #running: readonly ExecutionListItem[] = [];
  /** Executions that were not read yet, for lack of time or bytes. */
  #left: readonly ExecutionListItem[] = [];
  /** Ids of executions that were read before; a later look reads them again. */
  #known: ReadonlySet<string> = new Set();
  #sawAll = true;
  #tookManyRequests = false;
  #pages = 0;
  #singles = 0;
  /** n8n refuses hand-made cursors, so that running executions are read one by one. */
  #refusesPages = false;
  /** Epoch ms. */
  #until = Number.POSITIVE_INFINITY;
  #isLast = false;

  constructor(session: ScanSession, lists: StatusLists) {
    this.#session = session;
    this.#ledger = session.ledger;
    this.#ranges = session.ranges;
    this.#lists = lists;
    this.#pageSize = new PageSize({ first: session.options.store.running.pageSize });
  }

  /** False if not all were seen: an unseen one may end inside a range that would be claimed. */
  get sawAll(): boolean {
    return this.#sawAll;
  }

  /** True if listing took more than one request, so that the list is late. */
  get tookManyRequests(): boolean {
    return this.#tookManyRequests;
  }

  /** Ids of executions that were read before, but not by this scan: their data may have changed since. */
  get left(): ReadonlySet<string> {
    return new Set(this.#left.map(({ id }) => id).filter((id) => this.#known.has(id)));
  }

  noteUnseen(reason: string): void {
    this.#sawAll = false;
    this.#ledger.skip(reason);
  }

  /** True if the execution was listed as running, or may run unlisted: reading it again would show nothing new. */
  mayRun({ id, status }: { readonly id: string; readonly status: string }): boolean {
    const isBelow = status === "running" && this.#listedTo !== null && isNewer(this.#listedTo, id);
    return isBelow || this.#listed.has(id);
  }

  /**
   * @param known ids of executions that were read before
   * @param onListed called once all are listed, unless they are read at once; those that end later are in other lists
   */
  async read(known: ReadonlySet<string>, onListed: () => void): Promise<void> {
    if (!(await this.#lists.canList("running"))) return;
    const { store, clock, window } = this.#session.options;
    const count = this.countToReadAtOnce;
    if (count !== null && (await this.#readAtOnce(count))) return;
    const { items, isWhole, requests } = await this.#lists.allOf("running");
    this.#tookManyRequests = count !== null || requests > 1;
    onListed();
    if (!isWhole) {
      this.#listedTo = items.at(-1)?.id ?? null;
      this.noteUnseen(`more than ${MAX_LISTED} executions are running: the oldest were not checked`);
    }
    const running = items.filter((item) => isInWindow(window, item));
    for (const item of running) {
      this.#listed.add(item.id);
      store.running.see(item, clock.now());
    }
    const changed = this.#ranges.changedOf(running);
    await this.#readData(this.#unconfirmedOf(running, changed), running, known);
    if (isWholeHistory(window)) store.running.noteLook(items, this.#pageSize.bytes);
  }

  /** Reads the data of executions that a look has just listed. */
  async readListed(running: readonly ExecutionListItem[]): Promise<void> {
    const ids = running.map(({ id }) => id);
    for (const id of ids) this.#listed.add(id);
    const { store } = this.#session.options;
    const unsettled = running.filter((item) => !store.running.isSettled(item)).map(({ id }) => id);
    await this.#readData(this.#unconfirmedOf(running, new Set(unsettled)), running, new Set(ids));
  }

  /**
   * Confirms unchanged executions and returns those to read. With `ownReads`, only its own reads count.
   * @param changed ids of executions whose data may have changed
   */
  #unconfirmedOf(running: readonly ExecutionListItem[], changed: ReadonlySet<string>): ExecutionListItem[] {
    const { ownReads } = this.#session.options;
    const isKnown = (item: ExecutionListItem): boolean =>
      !changed.has(item.id) && (ownReads === null || ownReads.hasReadRunning(item));
    for (const item of running) if (isKnown(item)) this.#ledger.confirm(item.id);
    return running.filter(({ id }) => !this.#ledger.current.has(id));
  }

  /** @param wanted executions to read @param running all running ones @param known ids that were read before */
  async #readData(
    wanted: readonly ExecutionListItem[],
    running: readonly ExecutionListItem[],
    known: ReadonlySet<string>,
  ): Promise<void> {
    const { store, ownReads } = this.#session.options;
    const isRead = (item: ExecutionListItem): boolean =>
      known.has(item.id) && ownReads?.hasReadRunning(item) !== false;
    const inOrder = sortedByTurn(wanted, (item) =>
      isRead(item) ? (store.running.readAt(item.id) ?? 0) : -1,
    );
    this.#ledger.expect(inOrder);
    this.#ledger.watch(inOrder.map(({ id }) => id));
    const now = this.#session.options.clock.now();
    this.#until = now + SHARE_OF_TIME * Math.max(0, this.#session.options.deadline - now);
    [this.#running, this.#known] = [running, known];
    this.#left = await this.#readInPages(inOrder);
    for (const { id } of this.#left) if (!known.has(id)) this.#ledger.unreadable(id, RUNS_UNREAD);
    store.running.pageSize = Math.min(FIRST_RUNNING_PAGE, this.#pageSize.current);
  }

  /** Call this last, once a scan with `ownReads` has read everything else. */
  async readLeft(): Promise<void> {
    this.#isLast = true;
    const left = this.#left.filter(({ id }) => !this.#ledger.current.has(id));
    this.#left = await this.#readInPages(left);
  }

  /** Their number, if they are so few that one request can list them and return their data; else null. */
  get countToReadAtOnce(): number | null {
    const { store, window } = this.#session.options;
    return isWholeHistory(window) ? store.running.littleCount : null;
  }

  /** @returns false if some may be missing, so that they have to be listed */
  async #readAtOnce(count: number): Promise<boolean> {
    const { store, clock } = this.#session.options;
    const askedAt = clock.now();
    const limit = count + MAX_ADDED;
    const running: TracedExecution[] = [];
    let isWhole = true;
    const missAny = (): void => {
      isWhole = false;
    };
    const recording = this.#recordingEvents();
    const read = (reading: Reading): void => {
      store.running.see(reading.execution, askedAt);
      recording.read(reading);
      running.push(reading.execution);
    };
    const query = this.#lists.query("running", limit);
    const events = { read, unreadable: missAny, vanished: missAny };
    const { runningPage = new RepeatedPage() } = this.#session.options;
    await this.#unlessFailed((options) => runningPage.read(query, options, events));
    // After a failure, an empty list does not prove that nothing is running.
    if (!isWhole || this.#pageSize.bytes === 0 || running.length >= limit) return false;
    for (const { id } of running) this.#listed.add(id);
    this.#ranges.changedOf(running);
    store.running.noteLook(running, this.#pageSize.bytes);
    return true;
  }

  get #hasRoom(): boolean {
    if (this.#pages === 0) return true;
    const { clock, deadline, slowReads, maxRunningBytes = MAX_BYTES } = this.#session.options;
    if (this.#isLast) return clock.now() < deadline - slowReads.answerMs;
    return this.#pageSize.bytes < maxRunningBytes && this.#pages < MAX_PAGES && clock.now() < this.#until;
  }

  /** @returns the executions that were not read, for lack of time or bytes */
  async #readInPages(wanted: readonly ExecutionListItem[]): Promise<readonly ExecutionListItem[]> {
    let left = wanted;
    const ended: ExecutionListItem[] = [];
    while (left.length > 0 && this.#hasRoom && !this.#session.mustStop()) {
      const batch = left.slice(0, this.#pageSize.current);
      for (const page of this.#pagesOf(batch)) {
        if (!this.#hasRoom) return [...ended, ...left.filter(({ id }) => !this.#ledger.current.has(id))];
        await this.#readPage(page, this.#running[0] === page[0]);
      }
      ended.push(...(await this.#readEnded(batch)));
      left = left.slice(batch.length);
    }
    return [...ended, ...left];
  }

  /** Pages in the order of their first execution in turn, because there may be time for one page only. */
  #pagesOf(batch: readonly ExecutionListItem[]): readonly (readonly ExecutionListItem[])[] {
    const turns = new Map(batch.map(({ id }, turn) => [id, turn]));
    const turnOf = (page: readonly ExecutionListItem[]): number =>
      Math.min(...page.map(({ id }) => turns.get(id) ?? batch.length));
    const pages = runsOf(this.#running, new Set(turns.keys()), { mostBetween: MAX_BETWEEN });
    return pages.toSorted((a, b) => turnOf(a) - turnOf(b));
  }

  async #readPage(page: readonly ExecutionListItem[], isFirst: boolean): Promise<void> {
    const unreadable = (id: string | null, reason: string): void => {
      // A listed execution is known to run even if unreadable.
      if (id === null) this.#sawAll = false;
      this.#ledger.unreadable(id, reason);
    };
    const events = { ...this.#recordingEvents(), unreadable };
    this.#pages += 1;
    const above = String(BigInt(page[0]?.id ?? 0) + 1n);
    const cursor = isFirst ? undefined : cursorBelow(above, page.length);
    const query = this.#lists.query("running", page.length, cursor);
    await this.#unlessFailed((options) => readPage(query, options, events));
  }

  /** Records the executions as read at the time of this call. */
  #recordingEvents(): ReadingEvents {
    const { clock, store } = this.#session.options;
    const askedAt = clock.now();
    return replaceRead(this.#ledger, (reading) => {
      store.running.noteRead(reading, askedAt);
      this.#ledger.read(reading);
    });
  }

  /** n8n may fail to return all of them at once but succeed one by one, or may refuse hand-made cursors. */
  async #unlessFailed(read: (options: ReadOptions) => Promise<void>): Promise<void> {
    const { readingInTurn: reading } = this.#session;
    // Each search reads running executions whatever their filters say, so terms would be useless.
    const terms = { ...reading.terms, bytesLeft: 0 };
    const options = this.#session.inTime({ ...reading, pageSize: this.#pageSize, terms });
    try {
      await read(options);
    } catch (error) {
      this.#refusesPages ||= isBadRequest(error);
      if (!isBadRequest(error) && !mayPass(error)) throw error;
    }
  }

  /**
   * Reads the executions that were on no page: they have ended since they were listed, or n8n failed to return them.
   * @returns the executions that were not read, for lack of time or bytes
   */
  async #readEnded(batch: readonly ExecutionListItem[]): Promise<readonly ExecutionListItem[]> {
    const { pageSize } = this.#session.options;
    const missed = batch.filter((item) => !this.#ledger.current.has(item.id));
    for (const [index, { id }] of missed.entries()) {
      const isEnough = this.#singles >= MAX_SINGLES && !this.#refusesPages;
      if (!this.#hasRoom || isEnough) return missed.slice(index);
      this.#singles += 1;
      const before = pageSize.bytes;
      if (this.#session.mustStop()) this.#ledger.unreadable(id, "the scan ended before it was read");
      else await this.#lists.readAgain(id, RUNS, this.#recordingEvents());
      this.#pageSize.note(0, pageSize.bytes - before);
    }
    return [];
  }
}

/** Newest first among equals. */
function sortedByTurn(
  items: readonly ExecutionListItem[],
  turnOf: (item: ExecutionListItem) => number,
): ExecutionListItem[] {
  return items.toSorted((a, b) => turnOf(a) - turnOf(b) || newestFirst(a.id, b.id));
}
