/**
 * The scan: lists executions newest first, and reads with data those that are not known yet.
 *
 *   SharedScans   who waits for which scan, and when one ends for whom
 *       |
 *     Scan        the steps, in their order: this file
 *       |
 *       +- Listing            n8n's lists, page by page, past what is known
 *       +- DirectPages      below what is known: pages with data that no list is asked for
 *       +- UnfinishedReader   what runs, waits, or could not be read before
 *       +- UnlistedReader       what n8n leaves out of its lists, id by id
 *       +- QueuedReader         what waits in n8n's queue, id by id
 *       |        |
 *       |     ScanSession     how long n8n may be asked, how much, why the scan ends; asks for lists
 *       |        |
 *       +--- ScanLedger       what was read and not kept yet; what could not be read
 *                |
 *            ScanRanges       what is known and passed over; how far down all is known and may be claimed
 *                |
 *          ExecutionStore     what is known, in SQLite
 *
 * Each part knows only those below it, and only the owner of a state changes it.
 *
 * Promises: at most two requests at n8n at a time, and four where it only looks at what is new; it ends at the limit,
 * at the time budget, at the end of the window or at n8n's failure, and says which; what it has read is kept after each
 * page, so that what comes in between loses no more than three pages; what n8n has deleted is marked so; what cannot be
 * read is told, never silently dropped.
 */
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { type ListedRun, RunReader } from "../reading/read-executions.ts";
import { isWholeHistory } from "../store/trace-window.ts";
import { DirectPages, isDirect } from "./direct-pages.ts";
import { cutToLimit, type Job, jobsOf, type ListedPage } from "./jobs.ts";
import { ScanLedger } from "./ledger.ts";
import { Listing } from "./listing.ts";
import { QueuedReader } from "./queued.ts";
import { ScanRanges } from "./ranges.ts";
import type { ScanOptions, ScanResult, ScanStop } from "./scan-options.ts";
import { ScanSession } from "./session.ts";
import { UnfinishedReader } from "./unfinished.ts";
import { UnlistedReader } from "./unlisted.ts";

/** Two are on their way while a third is worked on: n8n need not wait for that. */
const CONCURRENT_PAGES = 3;
/**
 * A look sends its lists together. If that of the running ones had to be asked for again, or comes so much later than that
 * of the newest, executions may have ended between and be in neither: the newest are then listed once more.
 */
const OVERTAKEN_MS = 300;
/** Jobs that wait while another list is asked for: each is a page of the largest size. */
const JOBS_TO_SPARE = 1;

/**
 * Continues from what is known. Never throws for n8n's failures: they become the reason to stop. If n8n turns out to
 * have a different history from the known one, the scan restarts once.
 */
export async function scan(options: ScanOptions): Promise<ScanResult> {
  const result = await new Scan(options).run();
  return result.stop.reason === "forgotten" ? await new Scan({ ...options, looked: null }).run() : result;
}

/** One scan, which reports its progress on request. Run it only once. */
export class Scan {
  readonly #options: ScanOptions;
  readonly #ranges: ScanRanges;
  readonly #ledger: ScanLedger;
  readonly #session: ScanSession;
  readonly #unlisted: UnlistedReader;
  readonly #queued: QueuedReader;
  readonly #unfinished: UnfinishedReader;
  readonly #direct: DirectPages;
  readonly #runs: RunReader;

  constructor(options: ScanOptions) {
    const ranges = new ScanRanges(options);
    const ledger = new ScanLedger(options, ranges);
    const session = new ScanSession(options, ledger, ranges);
    const unlisted = new UnlistedReader(session, ledger);
    const unfinished = new UnfinishedReader(session, ledger, ranges);
    this.#options = options;
    this.#ranges = ranges;
    this.#ledger = ledger;
    this.#session = session;
    this.#unlisted = unlisted;
    this.#queued = new QueuedReader(session, ledger, ranges);
    this.#unfinished = unfinished;
    this.#direct = new DirectPages({ session, ledger, ranges, unlisted, unfinished });
    this.#runs = new RunReader(session.reading, ledger, options.slowReads);
  }

  get begun(): number {
    return this.#session.begun;
  }

  /** @param stop why the caller waits no longer */
  resultSoFar(stop: ScanStop): ScanResult {
    return {
      stop,
      downTo: this.#ranges.downTo,
      current: this.#ledger.current,
      read: this.#ledger.readCount,
      skipped: this.#ledger.skipped,
      leftRunning: this.#unfinished.leftRunning,
      settles: this.#ranges.settles,
    };
  }

  async run(): Promise<ScanResult> {
    const session = this.#session;
    try {
      await this.#readAll();
      if (this.#options.own !== null && session.stop === null) await this.#unfinished.readLeftRunning();
    } catch (error) {
      session.fail(error);
    }
    await this.#ledger.checkpoint();
    this.#ranges.noteToCome();
    return this.resultSoFar(
      this.#ranges.isForgotten ? { reason: "forgotten" } : (session.stop ?? { reason: "complete" }),
    );
  }

  async #readAll(): Promise<void> {
    const session = this.#session;
    const unfinished = this.#unfinished;
    const { looked } = this.#options;
    await session.learnCapabilities();
    if (looked !== null) return await this.#readKnown(looked);
    const started = this.#options.clock.now();
    unfinished.begin(this.#ranges.recall());
    this.#unlisted.begin();
    this.#queued.begin();
    const listing = await this.#beginListing();
    const took = this.#options.clock.now() - started;
    // Whoever joins now goes by what is known to run.
    this.#ledger.keep();
    await this.#work(this.#jobs(this.#listedJobs(listing, took)));
    if (session.stop === null) await unfinished.readChanged();
    if (session.stop === null) await session.learnCapabilities();
    if (session.stop !== null) return;
    if (!session.leavesOut) return await this.#queued.read(this.#listedIds);
    const isWhole = await this.#unlisted.read();
    if (!isWhole) session.end({ reason: "gaps" });
  }

  /** Searches what a look has just made known, so that nothing is listed. */
  async #readKnown(looked: ScanResult): Promise<void> {
    const session = this.#session;
    const unfinished = this.#unfinished;
    unfinished.begin(this.#ranges.recall());
    this.#queued.begin();
    const page = this.#ranges.knownPage(looked.settles);
    // Another history has begun since.
    if (page === null) return session.end({ reason: "forgotten" });
    unfinished.confirmAtRest(looked.current);
    const running = unfinished.readKnownRunning();
    await allEnded([running, this.#work(this.#jobs(this.#knownJobs(page)))]);
    if (session.stop === null) await unfinished.readChanged();
    if (session.stop === null) await unfinished.readGoneOn();
    if (session.stop === null) await this.#queued.readKnown();
  }

  /** A scan of a part of history may not list what is newest. */
  get #listedIds() {
    const { head, window } = this.#options;
    return head !== null || isWholeHistory(window) ? this.#unlisted.listedIds : null;
  }

  /** Running ones are listed before all others: what ends between is in the lists. */
  async #beginListing(): Promise<Listing> {
    const unfinished = this.#unfinished;
    const { clock, head, onAsked } = this.#options;
    const { turn } = this.#session.lists;
    const listed = Promise.withResolvers<void>();
    let runningListedAt: number | null = null;
    if (head === null) {
      onAsked?.();
      await unfinished.listToCome();
    } else {
      turn.expect(1 + (await unfinished.countRequests()), onAsked);
      listed.resolve();
    }
    const noteListed = (): void => {
      runningListedAt ??= clock.now();
      listed.resolve();
    };
    const running = unfinished.readRunning(noteListed).then(noteListed);
    await Promise.race([listed.promise, running]);
    const [first] = await allEnded([this.#listFirst(), running]).finally(() => turn.end());
    const isLate = (runningListedAt ?? 0) - first.listedAt > OVERTAKEN_MS;
    const isOvertaken = head !== null && (isLate || unfinished.askedRunningAgain);
    return isOvertaken ? (await this.#listFirst()).listing : first.listing;
  }

  async #listFirst(): Promise<{ readonly listing: Listing; readonly listedAt: number }> {
    // What it turned out to refuse just now counts.
    await this.#session.learnCapabilities();
    const { capabilities, clock } = this.#options;
    const { filtersDates } = await capabilities.get();
    const listing = new Listing(this.#session, this.#ranges, this.#unlisted, filtersDates !== false);
    const begin = async (): Promise<number> => {
      await listing.begin();
      return clock.now();
    };
    const [listedAt] = await allEnded([begin(), this.#unfinished.listAtRest()]);
    return { listing, listedAt };
  }

  /** Jobs in the order of the list, up to the limit, the time budget or a failure. */
  async *#jobs(jobs: AsyncIterable<Job>): AsyncGenerator<Job, void> {
    const session = this.#session;
    try {
      for await (const job of jobs) {
        // What is all known already asks n8n for nothing.
        if (job.run.wanted.size > 0 && session.mustStop()) return;
        const within = cutToLimit(job, session.room);
        // Set before the last part is given away: no other worker may take this end for the whole one.
        if (within !== job) session.end({ reason: "limit" });
        if (within === null) return;
        session.begin(within.run.wanted.size);
        this.#ranges.begin(within);
        yield within;
        if (within !== job) return;
      }
    } catch (error) {
      // n8n's failure is an end, too: the page that is being read meanwhile still counts.
      session.endBy(error);
    }
  }

  /** Lists on as long as there is no job to spare, so that n8n is asked while another page is being read. */
  async *#listedJobs(listing: Listing, took: number): AsyncGenerator<Job, void> {
    const spare: Job[] = [];
    try {
      for await (const page of listing.pages()) {
        this.#ranges.settle(page, took, this.#unfinished);
        const top = this.#ranges.settledAt ?? page.listedTo;
        if (top !== null) this.#options.onTop?.(top);
        this.#unfinished.confirmListed(page);
        this.#unfinished.passed(null, page.isLast ? "0" : (page.low ?? "0"), page.items);
        for await (const part of this.#ranges.withPassedOver(page)) {
          spare.push(...this.#jobsOf(part));
          // The first page is asked for at once: until then nobody is busy.
          while (spare.length > (this.#session.begun === 0 ? 0 : JOBS_TO_SPARE)) yield* spare.splice(0, 1);
          if (!page.isLast && this.#session.mustStop()) return;
        }
        if (!this.#direct.mayFollow(page)) continue;
        yield* spare.splice(0);
        const readTo = yield* this.#direct.jobsBelow(page);
        if (readTo === null) return;
        listing.passOver(readTo);
      }
    } catch (error) {
      // What was listed before n8n failed is read all the same.
      yield* spare;
      throw error;
    }
    yield* spare;
  }

  async *#knownJobs(page: ListedPage): AsyncGenerator<Job, void> {
    for await (const part of this.#ranges.withPassedOver(page)) yield* this.#jobsOf(part);
  }

  #jobsOf(page: ListedPage): Job[] {
    this.#ledger.expect(page.items.filter(({ id }) => page.unread.has(id)));
    return jobsOf(page, this.#options.window.workflowId, this.#options.pageSize.current);
  }

  /**
   * Three at a time; when one fails for good, the others end their pages, and no more begin. While a page is kept, the
   * next one is asked for.
   */
  async #work(jobs: AsyncGenerator<Job, void>): Promise<void> {
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
      // It may fail before it is waited for.
      kept.catch(() => {});
      keeping.push(kept);
    });
    await Promise.all(keeping);
  }

  async #readJob(job: Job): Promise<void> {
    if (isDirect(job)) return await this.#direct.read(job);
    if (this.#options.own === null) await this.#readShared(job.run);
    else await this.#runs.read(job.run);
    this.#ranges.finish(job);
  }

  /** What another scan is reading is waited for, and read here only if the other gave up. */
  async #readShared(run: ListedRun): Promise<void> {
    for (let wanted = run.wanted; wanted.size > 0; ) {
      const reading = this.#options.underWay.begin(wanted);
      try {
        await this.#runs.read({ ...run, wanted: reading.mine });
        // Whoever waits for it finds it kept.
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

/** Waits for both to end, even if one fails: nothing keeps running after the answer. */
async function allEnded<One, Other>(both: [Promise<One>, Promise<Other>]): Promise<[One, Other]> {
  await Promise.allSettled(both);
  return await Promise.all(both);
}
