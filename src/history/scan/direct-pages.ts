/**
 * Reads pages with data below the known ranges without listing them first, which would nearly double n8n's work.
 *
 * Promises: a page is claimed as known only if n8n returned as many readable executions as requested. A shorter page is
 * claimed as the end of history if a list of the same page shows no others and ends there. Direct reading stops at the
 * first page that is not claimed (its executions are stored, and listing resumes above it), and where many ids have no
 * execution, because neighbouring pages would then overlap.
 */
import { mayPass } from "../../n8n/back-off.ts";
import type { ExecutionQuery, ListedExecutions } from "../../n8n/client.ts";
import { cursorBelow } from "../../n8n/execution-cursor.ts";
import { ObserverError, orElse } from "../../platform/errors.ts";
import { higherOf, isNewer } from "../../platform/id-order.ts";
import { givenMs, readPage } from "../reading/read-executions.ts";
import type { Reading, ReadingEvents } from "../reading/reading.ts";
import { countOf, idFrom, LOWEST_ID, newestOf } from "../store/gaps.ts";
import { isWholeHistory } from "../store/trace-window.ts";
import type { Job, ListedPage } from "./jobs.ts";
import type { ScanSession } from "./session.ts";
import type { UnfinishedReader } from "./unfinished.ts";
import type { UnlistedReader } from "./unlisted.ts";

/** Minimum share of ids with an execution: each missing one means that another execution is read twice. */
const MIN_DENSITY = 0.9;
/** Up to this many scattered known executions, for example from links, are read again instead of listing. */
const MAX_READ_AGAIN = 20;
/** A page with fewer executions says nothing about the density of other pages. */
const MIN_ITEMS = 20;

export interface DirectJob extends Job {
  /** The page begins below this id. */
  readonly below: string;
}

export const isDirect = (job: Job): job is DirectJob => "below" in job;

interface DirectPage {
  readonly readings: readonly Reading[];
  readonly isWhole: boolean;
  /** True if n8n has nothing below it. */
  readonly isBottom: boolean;
}

export class DirectPages {
  readonly #session: ScanSession;
  readonly #unlisted: UnlistedReader;
  readonly #unfinished: UnfinishedReader;
  readonly #pagesInProgress = new Set<Promise<void>>();
  #isOver = false;
  /** Listing has to resume below this id. */
  #failedBelow: string | null = null;
  #isAtBottom = false;

  constructor(session: ScanSession, unlisted: UnlistedReader, unfinished: UnfinishedReader) {
    this.#session = session;
    this.#unlisted = unlisted;
    this.#unfinished = unfinished;
  }

  /** True if almost nothing is known below the page, and its ids are dense. */
  mayFollow({ items, listedTo, low, isLast, query }: ListedPage): boolean {
    const [newest] = items;
    if (!this.#mayBegin() || isLast || query !== null) return false;
    if (newest === undefined || listedTo === null || low === null) return false;
    const ids = countOf([{ high: newest.id, low: listedTo }]);
    if (items.length < MIN_ITEMS || items.length < MIN_DENSITY * ids) return false;
    const isUnknown =
      this.#session.options.store.executions.endedBelow(low, MAX_READ_AGAIN + 1) <= MAX_READ_AGAIN;
    return this.#session.ranges.stretches.every((known) => !isNewer(low, known.low)) && isUnknown;
  }

  /** False if n8n leaves executions out of its lists, because those have to be looked for. */
  #mayBegin(): boolean {
    const { ownReads, look, window } = this.#session.options;
    const isPlain = ownReads === null && look === null && isWholeHistory(window);
    return isPlain && !this.#isOver && !this.#session.hidesExecutions;
  }

  /**
   * The pages below a listed one, as far as direct reading gets.
   * @returns the id below which to resume listing, so that one read execution is listed again and the end of history
   * shows; null if it has shown
   */
  async *jobsBelow({ low }: ListedPage): AsyncGenerator<DirectJob, string | null> {
    let lowest = low ?? "0";
    for (let job = this.#jobBelow(lowest); job !== null; job = this.#jobBelow(lowest)) {
      yield job;
      lowest = job.low;
    }
    this.#isOver = true;
    // The worker with the last page starts to read it within this turn, and may fail.
    await new Promise<void>((resolve) => setImmediate(resolve));
    await Promise.allSettled(this.#pagesInProgress);
    if (this.#isAtBottom && this.#failedBelow === null) return null;
    return idFrom(this.#failedBelow ?? lowest, 1);
  }

  #jobBelow(below: string): DirectJob | null {
    const session = this.#session;
    const size = Math.min(session.options.pageSize.current, Number(below) - 1);
    if (this.#isOver || size <= 0 || session.remaining < size) return null;
    const low = idFrom(below, -size);
    const wanted = new Set(newestOf([{ high: idFrom(below, -1), low }], size));
    if (session.options.slowReads.isSlow(wanted)) return null;
    return { below, run: { items: [], wanted, workflowId: null, query: null }, low, isBottom: false };
  }

  /** @throws ObserverError if no caller waits any more */
  async read(job: DirectJob): Promise<void> {
    const reading = this.#readAlone(job);
    this.#pagesInProgress.add(reading);
    await reading.finally(() => this.#pagesInProgress.delete(reading));
  }

  /** Leaves a page that another scan is reading to the lists. */
  async #readAlone(job: DirectJob): Promise<void> {
    const { wanted } = job.run;
    const begun = this.#session.options.readsInProgress.begin(wanted);
    try {
      if (begun.mine.size < wanted.size) return this.#giveUp(job);
      await this.#read(job);
      // Scans that wait for this page find it stored.
      await this.#session.ledger.checkpoint();
    } finally {
      begun.end();
    }
  }

  async #read(job: DirectJob): Promise<void> {
    const { ledger, ranges } = this.#session;
    const { readings, isWhole, isBottom } = await this.#readPage(job);
    const mine = readings.filter(({ execution }) => !isNewer(job.low, execution.id));
    const items = mine.map(({ execution }) => execution);
    this.#unlisted.noteListed(items);
    // Compared before they are stored: the stored ones may belong to another history.
    ranges.changedOf(items);
    for (const one of mine) ledger.read(one);
    // Once the page above was given up, a page below it must not count: it would claim that one, too.
    const isBelowFailed = this.#failedBelow !== null && isNewer(this.#failedBelow, job.below);
    if (!isWhole || isBelowFailed) return this.#giveUp(job);
    this.#unfinished.noteListedRange(idFrom(job.below, -1), isBottom ? "0" : job.low, items);
    this.#isAtBottom ||= isBottom;
    if (isBottom || mine.length < MIN_DENSITY * job.run.wanted.size) this.#isOver = true;
    ranges.finish(job, { low: items.at(-1)?.id ?? job.low, isBottom });
  }

  async #readPage({ below, run, low }: DirectJob): Promise<DirectPage> {
    const readings: Reading[] = [];
    const session = this.#session;
    const limit = run.wanted.size;
    const query = { limit, cursor: cursorBelow(below, limit) };
    let listed: Promise<ListedExecutions | null> | null = null;
    const events: ReadingEvents = {
      read: (reading) => {
        readings.push(reading);
        if (low !== LOWEST_ID || listed !== null) return;
        // The last page mostly lacks a few ids: the list that proves its end is requested while its data arrives.
        listed = this.#list(query);
        // Avoids an unhandled rejection: it may fail before it is awaited.
        listed.catch(() => {});
      },
      // The page then has fewer executions than requested.
      unreadable: () => {},
      vanished: () => {},
    };
    try {
      await readPage(query, session.reading, events);
    } catch (error) {
      if (!(error instanceof ObserverError) || error.code === "INTERRUPTED") throw error;
      // The page is listed and read again later, which then reports the failure.
      if (mayPass(error)) session.options.pageSize.halve();
      const { slowReads } = session.options;
      if (session.isTimeUp && slowReads.hadEnoughTime(givenMs(error)))
        slowReads.noteCallEnd(idFrom(below, -1));
      return { readings, isWhole: false, isBottom: false };
    }
    const isAsRequested = isInOrder(below, readings) && readings.length > 0;
    if (!isAsRequested || (readings.length === limit && listed === null))
      return { readings, isWhole: isAsRequested, isBottom: false };
    const isWhole = isEndOf(await (listed ?? this.#list(query)), readings);
    // With many missing ids it reaches into the next page, and the end of history belongs to that one.
    const isBottom = isWhole && readings.every(({ execution }) => !isNewer(low, execution.id));
    return { readings, isWhole, isBottom };
  }

  /** Null when n8n fails: the page is listed again later, which then reports the failure. */
  async #list(query: ExecutionQuery): Promise<ListedExecutions | null> {
    return await orElse(
      async () => await this.#session.list(query),
      () => null,
    );
  }

  #giveUp(job: DirectJob): void {
    this.#isOver = true;
    this.#session.ranges.giveUp(job);
    this.#failedBelow = higherOf(job.below, this.#failedBelow ?? job.below);
  }
}

/** True if the list ends here and everything in it was read. */
function isEndOf(listed: ListedExecutions | null, readings: readonly Reading[]): boolean {
  const read = new Set(readings.map(({ execution }) => execution.id));
  const isRead = listed?.executions.every(({ id }) => read.has(id)) === true;
  return isRead && listed.unrecognizedIds.length === 0 && listed.nextCursor === null;
}

/** True if the readings are newest first and below this id, as requested. */
function isInOrder(below: string, readings: readonly Reading[]): boolean {
  const ids = [below, ...readings.map(({ execution }) => execution.id)];
  return ids.every((id, place) => place === 0 || isNewer(ids[place - 1] ?? "", id));
}
