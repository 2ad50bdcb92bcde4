/**
 * The scan: lists executions newest first, and reads with data those that are not known yet.
 *
 *   SharedScans   which caller waits for which scan, and when it ends for each
 *       |
 *     Scan        the order of the steps: this file
 *       |
 *       +- Listing            n8n's lists, page by page, skipping what is known
 *       +- DirectPages        pages with data below what is known, without a list
 *       +- UnfinishedReader   running, waiting and previously unreadable executions
 *       +- UnlistedReader     executions that n8n leaves out of its lists, by id
 *       +- QueuedReader       executions in n8n's queue, by id
 *       |        |
 *       |     ScanSession     deadline, limit and reason to stop; requests the lists
 *       |        |
 *       +--- ScanLedger       what was read and not stored yet; what could not be read
 *                |
 *            ScanRanges       what is known and skipped; how far down everything may be claimed as known
 *                |
 *          ExecutionStore     known executions, in SQLite
 *
 * Each part depends only on those below it, and only the owner of a state changes it.
 *
 * Promises: at most two requests to n8n at a time, and four in a look for new executions; it ends at the limit, the
 * deadline, the end of the window or n8n's failure, and reports which; it stores what it read after each page, so an
 * interruption loses at most three pages; executions that n8n has deleted are marked; unreadable executions are
 * reported, never silently dropped.
 */
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { type ListedRun, RunReader } from "../reading/read-executions.ts";
import { isWholeHistory } from "../store/trace-window.ts";
import { DirectPages, isDirect } from "./direct-pages.ts";
import { cutToLimit, type Job, jobsOf, type ListedPage } from "./jobs.ts";
import type { ScanLedger } from "./ledger.ts";
import { Listing } from "./listing.ts";
import { QueuedReader } from "./queued.ts";
import type { ScanRanges } from "./ranges.ts";
import type { ScanOptions, ScanResult, ScanStop } from "./scan-options.ts";
import { ScanSession } from "./session.ts";
import { UnfinishedReader } from "./unfinished.ts";
import { UnlistedReader } from "./unlisted.ts";

/** Two pages are in flight while a third is processed, so that n8n is never idle. */
const CONCURRENT_PAGES = 3;
/**
 * If a look's list of running executions arrives this much later than that of the newest ones, or took more requests,
 * executions may have ended in between and be in neither: the newest are then listed again.
 */
const OVERTAKEN_MS = 300;
/** Jobs buffered while another list is requested; each is a page of the largest size. */
const BUFFERED_JOBS = 1;

/**
 * Continues from what is known. Never throws for n8n's failures: they become the reason to stop. If n8n turns out to
 * have a different history from the known one, the scan restarts once.
 */
export async function scan(options: ScanOptions): Promise<ScanResult> {
  const result = await new Scan(options).run();
  return result.stop.reason === "forgotten"
    ? await new Scan({ ...options, completedLook: null }).run()
    : result;
}

/** One scan that reports its progress on request. Run it only once. */
export class Scan {
  readonly #options: ScanOptions;
  readonly #session: ScanSession;
  readonly #ledger: ScanLedger;
  readonly #ranges: ScanRanges;
  readonly #unlisted: UnlistedReader;
  readonly #queued: QueuedReader;
  readonly #unfinished: UnfinishedReader;
  readonly #direct: DirectPages;
  readonly #runs: RunReader;

  constructor(options: ScanOptions) {
    const session = new ScanSession(options);
    this.#options = options;
    this.#session = session;
    this.#ledger = session.ledger;
    this.#ranges = session.ranges;
    this.#unlisted = new UnlistedReader(session);
    this.#queued = new QueuedReader(session);
    this.#unfinished = new UnfinishedReader(session);
    this.#direct = new DirectPages(session, this.#unlisted, this.#unfinished);
    this.#runs = new RunReader(session.reading, session.ledger, options.slowReads);
  }

  get begun(): number {
    return this.#session.begun;
  }

  /** @param stop why the caller stops waiting */
  resultSoFar(stop: ScanStop): ScanResult {
    return {
      stop,
      downTo: this.#ranges.downTo,
      current: this.#ledger.current,
      read: this.#ledger.readCount,
      skipped: this.#ledger.skipped,
      leftRunning: this.#unfinished.running.left,
      settles: this.#ranges.settles,
    };
  }

  async run(): Promise<ScanResult> {
    const session = this.#session;
    try {
      await this.#readAll();
      if (this.#options.ownReads !== null && session.stop === null) {
        await this.#unfinished.running.readLeft();
        await this.#ledger.checkpoint();
      }
    } catch (error) {
      session.fail(error);
    }
    await this.#ledger.checkpoint();
    this.#ranges.noteUpcoming();
    return this.resultSoFar(
      this.#ranges.isForgotten ? { reason: "forgotten" } : (session.stop ?? { reason: "complete" }),
    );
  }

  async #readAll(): Promise<void> {
    const session = this.#session;
    const unfinished = this.#unfinished;
    const { completedLook } = this.#options;
    await session.learnCapabilities();
    if (completedLook !== null) return await this.#readKnown(completedLook);
    const started = this.#options.clock.now();
    unfinished.begin(this.#ranges.loadKnown());
    this.#unlisted.begin();
    this.#queued.begin();
    const listing = await this.#beginListing();
    const took = this.#options.clock.now() - started;
    // From here on, callers that join rely on the stored running executions.
    this.#ledger.storePending();
    await this.#runJobs(this.#jobs(this.#listedJobs(listing, took)));
    if (session.stop === null) await unfinished.readChanged();
    if (session.stop === null) await session.learnCapabilities();
    if (session.stop !== null) return;
    if (!session.hidesExecutions) return await this.#queued.read(this.#listedIds);
    const isWhole = await this.#unlisted.read();
    if (!isWhole) session.end({ reason: "gaps" });
  }

  /** Searches what a look has just stored, without listing anything. */
  async #readKnown(completedLook: ScanResult): Promise<void> {
    const session = this.#session;
    const unfinished = this.#unfinished;
    unfinished.begin(this.#ranges.loadKnown());
    this.#queued.begin();
    const page = this.#ranges.knownPage(completedLook.settles);
    // n8n's history was replaced meanwhile.
    if (page === null) return session.end({ reason: "forgotten" });
    unfinished.confirmSeen(completedLook.current);
    const running = unfinished.readKnownRunning();
    await settleBoth([running, this.#runJobs(this.#jobs(this.#knownJobs(page)))]);
    if (session.stop === null) await unfinished.readChanged();
    if (session.stop === null) await unfinished.readContinued();
    if (session.stop === null) await this.#queued.readKnown();
  }

  /** Null for a scan of a part of history, which may not list the newest executions. */
  get #listedIds() {
    const { look, window } = this.#options;
    return look !== null || isWholeHistory(window) ? this.#unlisted.listedIds : null;
  }

  /** Running executions are listed before all others, so that those that end in between are in the later lists. */
  async #beginListing(): Promise<Listing> {
    const unfinished = this.#unfinished;
    const { clock, look, onRequestsSent } = this.#options;
    const { turn } = this.#session.lists;
    const listed = Promise.withResolvers<void>();
    let runningListedAt: number | null = null;
    if (look === null) {
      onRequestsSent?.();
      await unfinished.listUpcoming();
    } else {
      turn.expect(1 + (await unfinished.countRequests()), onRequestsSent);
      listed.resolve();
    }
    const noteListed = (): void => {
      runningListedAt ??= clock.now();
      listed.resolve();
    };
    const running = unfinished.readRunning(noteListed).then(noteListed);
    await Promise.race([listed.promise, running]);
    const [first] = await settleBoth([this.#listFirst(), running]).finally(() => turn.end());
    const isLate = (runningListedAt ?? 0) - first.listedAt > OVERTAKEN_MS;
    const isOvertaken = look !== null && (isLate || unfinished.running.tookManyRequests);
    return isOvertaken ? (await this.#listFirst()).listing : first.listing;
  }

  async #listFirst(): Promise<{ readonly listing: Listing; readonly listedAt: number }> {
    // Takes account of filters that n8n has just refused.
    await this.#session.learnCapabilities();
    const { capabilities, clock } = this.#options;
    const { filtersDates } = await capabilities.get();
    const listing = new Listing(this.#session, this.#unlisted, filtersDates !== false);
    const begin = async (): Promise<number> => {
      await listing.begin();
      return clock.now();
    };
    const [listedAt] = await settleBoth([begin(), this.#unfinished.confirmUnchanged()]);
    return { listing, listedAt };
  }

  /** Jobs in the order of the list, up to the limit, the time budget or a failure. */
  async *#jobs(jobs: AsyncIterable<Job>): AsyncGenerator<Job, void> {
    const session = this.#session;
    try {
      for await (const job of jobs) {
        // A job without reads sends no request to n8n, so it is done even when time is up.
        if (job.run.wanted.size > 0 && session.mustStop()) return;
        const within = cutToLimit(job, session.remaining);
        // Set before the last part is handed out: no other worker may mistake this end for the end of the history.
        if (within !== job) session.end({ reason: "limit" });
        if (within === null) return;
        session.begin(within.run.wanted.size);
        this.#ranges.begin(within);
        yield within;
        if (within !== job) return;
      }
    } catch (error) {
      // A failure of n8n ends the scan, too, but a page in flight still counts.
      session.endBy(error);
    }
  }

  /** Keeps listing while no job is spare, so that a list is requested while another page is being read. */
  async *#listedJobs(listing: Listing, took: number): AsyncGenerator<Job, void> {
    const buffered: Job[] = [];
    try {
      for await (const page of listing.pages()) {
        this.#ranges.settle(page, took, this.#unfinished);
        const top = this.#ranges.settledAt ?? page.listedTo;
        if (top !== null) this.#options.onNewestListed?.(top);
        this.#unfinished.confirmListed(page);
        this.#unfinished.noteListedRange(null, page.isLast ? "0" : (page.low ?? "0"), page.items);
        for await (const part of this.#ranges.withSkipped(page)) {
          buffered.push(...this.#jobsOf(part));
          // The first job is handed out at once, because no worker is busy yet.
          while (buffered.length > (this.#session.begun === 0 ? 0 : BUFFERED_JOBS))
            yield* buffered.splice(0, 1);
          if (!page.isLast && this.#session.mustStop()) return;
        }
        if (!this.#direct.mayFollow(page)) continue;
        yield* buffered.splice(0);
        const readTo = yield* this.#direct.jobsBelow(page);
        if (readTo === null) return;
        listing.skipDownTo(readTo);
      }
    } catch (error) {
      // What was listed before n8n failed is still read.
      yield* buffered;
      throw error;
    }
    yield* buffered;
  }

  async *#knownJobs(page: ListedPage): AsyncGenerator<Job, void> {
    for await (const part of this.#ranges.withSkipped(page)) yield* this.#jobsOf(part);
  }

  #jobsOf(page: ListedPage): Job[] {
    this.#ledger.expect(page.items.filter(({ id }) => page.unread.has(id)));
    return jobsOf(page, this.#options.window.workflowId, this.#options.pageSize.current);
  }

  /** Three at a time. When one fails for good, the others finish their pages and no more begin. Storing overlaps. */
  async #runJobs(jobs: AsyncGenerator<Job, void>): Promise<void> {
    const session = this.#session;
    const keeping: Promise<void>[] = [];
    await mapConcurrently(jobs, CONCURRENT_PAGES, async (job) => {
      try {
        await this.#readJob(job);
      } catch (error) {
        session.endBy(error);
      }
      if (keeping.length >= CONCURRENT_PAGES) await keeping.shift();
      const kept = this.#ledger.checkpoint();
      // Avoids an unhandled rejection: it may fail before it is awaited.
      kept.catch(() => {});
      keeping.push(kept);
    });
    await Promise.all(keeping);
  }

  async #readJob(job: Job): Promise<void> {
    if (isDirect(job)) return await this.#direct.read(job);
    if (this.#options.ownReads === null) await this.#readShared(job.run);
    else await this.#runs.read(job.run);
    this.#ranges.finish(job);
  }

  /** Waits for executions that another scan is reading, and reads them here only if that scan gave up. */
  async #readShared(run: ListedRun): Promise<void> {
    for (let wanted = run.wanted; wanted.size > 0; ) {
      const reading = this.#options.readsInProgress.begin(wanted);
      try {
        await this.#runs.read({ ...run, wanted: reading.mine });
        // Scans that wait for these find them stored.
        await this.#ledger.checkpoint();
      } finally {
        reading.end();
      }
      await reading.others;
      const others = new Set([...wanted].filter((id) => !reading.mine.has(id)));
      wanted = this.#ranges.changedOf(run.items.filter(({ id }) => others.has(id)));
    }
  }
}

/** Waits for both to end, even if one fails, so that nothing keeps running after the answer. */
async function settleBoth<One, Other>(both: [Promise<One>, Promise<Other>]): Promise<[One, Other]> {
  await Promise.allSettled(both);
  return await Promise.all(both);
}
