/**
 * The scan: lists executions newest first, and reads with data those that are not known yet.
 *
 * Promises: at most two requests at n8n at a time, and three where it only looks at what is new; it ends at the limit,
 * at the time budget, at the end of the window or at n8n's failure, and says which; what it has read is kept after each
 * page, so that what comes in between loses no more than two pages; what n8n has deleted is marked so; what cannot be
 * read is told, never silently dropped.
 */

import { timeoutOf, withRetries } from "../../n8n/back-off.ts";
import { hidesUnfinished } from "../../n8n/capabilities/capabilities.ts";
import type { ExecutionQuery, ListedExecutions } from "../../n8n/client.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { ObserverError } from "../../platform/errors.ts";
import { OVERTIME_MS } from "../../platform/time-limits.ts";
import { FIRST_PAGE_SIZE } from "../reading/page-size.ts";
import { type ListedRun, type ReadOptions, RunReader } from "../reading/read-executions.ts";
import type { KnownHistory } from "../store/execution-store.ts";
import type { Scope } from "../store/known-stretches.ts";
import { BelievedHistory } from "./believed-history.ts";
import { HiddenReader } from "./hidden.ts";
import { type ListedPage, Listing } from "./listing.ts";
import { ScanClaims } from "./scan-claims.ts";
import { cutToLimit, type Job, jobsOf } from "./scan-jobs.ts";
import { ScanLedger } from "./scan-ledger.ts";
import type { ScanOptions, ScanResult, ScanStop } from "./scan-options.ts";
import { SeenIds } from "./seen-ids.ts";
import { UnfinishedReader } from "./unfinished.ts";
import { isUnlisted, UnlistedPages } from "./unlisted-pages.ts";

/** The recommendation of measurements: a third request gains nothing, and n8n pays for it. */
const CONCURRENT_PAGES = 2;
/** Jobs that wait while another list is asked for: each is a page of the largest size. */
const JOBS_TO_SPARE = 1;

/**
 * Scans on from what is known. Never throws for n8n's failures: they are the reason to stop. Where n8n turns out to
 * have another history than the one that is known, it begins anew, once.
 */
export async function scan(options: ScanOptions): Promise<ScanResult> {
  const result = await new Scan(options).run();
  return result.stop.reason === "forgotten" ? await new Scan(options).run() : result;
}

/** One scan, that may be asked how far it is. To be run once. */
export class Scan {
  readonly #options: ScanOptions;
  readonly #ledger: ScanLedger;
  readonly #unfinished: UnfinishedReader;
  /** What asks for lists, which may belong together. */
  readonly #lists: ReturnType<ScanOptions["client"]["sharingTurn"]>;
  readonly #believed: BelievedHistory;
  readonly #claims: ScanClaims;
  readonly #runs: RunReader;
  readonly #unlisted: UnlistedPages;
  readonly #seen: SeenIds;
  /** This n8n has executions in no list. */
  #hides = false;
  #listing: Listing | null = null;
  #asked = 0;
  #stop: ScanStop | null = null;
  /** Epoch ms. Later than the options' when listing took all the time: each call reads a page, so that calls get to an end. */
  #atLeastUntil = Number.NEGATIVE_INFINITY;

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#ledger = new ScanLedger(options);
    const scope = (): Scope => this.#scope;
    this.#believed = new BelievedHistory({ ...options, scope }, this.#ledger);
    this.#claims = new ScanClaims({ ...options, scope }, this.#ledger);
    this.#seen = new SeenIds(options.window);
    this.#lists = options.client.sharingTurn();
    const [ledger, believed, claims] = [this.#ledger, this.#believed, this.#claims];
    this.#runs = new RunReader(this.#inTime(options), ledger);
    this.#unfinished = new UnfinishedReader(
      this.#inTime({
        ...options,
        client: this.#lists.client,
        ledger,
        list: async (query: ExecutionQuery) => await this.#list(query),
        changedOf: async (items: readonly ExecutionListItem[]) => believed.changedOf(items),
        mustStop: () => this.#mustStop(),
      }),
    );
    this.#unlisted = new UnlistedPages(
      this.#inTime({
        ...options,
        ...{ ledger, believed, claims },
        seen: this.#seen,
        unfinished: this.#unfinished,
        hides: () => this.#hides,
      }),
    );
  }

  /** The same with the deadline as it is at each time: that of the options may change while the scan runs. */
  #inTime<Options extends ReadOptions>(options: Options): Options {
    const deadline = (): number => this.#deadline;
    return {
      ...options,
      get deadline() {
        return deadline();
      },
    };
  }

  /** Epoch ms. */
  get #deadline(): number {
    return Math.max(this.#options.deadline, this.#atLeastUntil);
  }

  async run(): Promise<ScanResult> {
    try {
      await this.#readAll();
    } catch (error) {
      this.#stop = this.#stopBy(error);
    }
    await this.#ledger.checkpoint();
    const isForgotten = this.#options.store.listed.epoch !== this.#ledger.epoch;
    return this.resultSoFar(isForgotten ? { reason: "forgotten" } : (this.#stop ?? { reason: "complete" }));
  }

  /** How far it is. @param stop why whoever asks waits no longer */
  resultSoFar(stop: ScanStop): ScanResult {
    return {
      stop,
      downTo: this.#claims.downTo,
      current: this.#ledger.current,
      read: this.#ledger.readCount,
      skipped: this.#ledger.skipped,
      settles: this.#claims.settles,
    };
  }

  /** How many executions it has begun to read. */
  get asked(): number {
    return this.#asked;
  }

  async #readAll(): Promise<void> {
    await this.#learnCapabilities();
    const started = this.#options.clock.now();
    const known = this.#believed.recall();
    if (this.#options.head === null) await this.#unfinished.listToCome(known);
    else this.#lists.turn.expect(1 + (await this.#unfinished.countLists(known)));
    // Running ones are read before all others are listed: what ends between is in the lists.
    const running = this.#unfinished.readRunning();
    const [pages, first] =
      this.#options.head === null
        ? await running.then(async () => await this.#listFirst(known))
        : (await allEnded([this.#listFirst(known), running]).finally(() => this.#lists.turn.end()))[0];
    const took = this.#options.clock.now() - started;
    await this.#work(this.#jobs(first, pages, took));
    if (this.#stop === null) await this.#unfinished.readChanged(known);
    await this.#readHidden();
  }

  /** The list, and its first page. */
  async #listFirst(
    known: KnownHistory,
  ): Promise<[AsyncGenerator<ListedPage, void>, IteratorResult<ListedPage, void>]> {
    this.#unfinished.watch(known);
    // What it turned out to refuse just now counts.
    await this.#learnCapabilities();
    const { filtersDates } = await this.#options.capabilities.get();
    this.#listing = this.#newListing(filtersDates !== false);
    const pages = this.#listing.pages();
    const [first] = await allEnded([pages.next(), this.#unfinished.listWaiting(known)]);
    return [pages, first];
  }

  /** @throws ObserverError when n8n fails */
  async #learnCapabilities(): Promise<void> {
    const { capabilities, client, clock } = this.#options;
    const present = await capabilities.withStatuses(client, timeoutOf(clock, this.#deadline));
    this.#hides ||= hidesUnfinished(present);
  }

  /** Also where n8n has changed meanwhile: what the one had in no list, the other has passed already. */
  async #readHidden(): Promise<void> {
    if (this.#stop === null) await this.#learnCapabilities();
    if (this.#stop !== null || !this.#hides) return;
    const reader = new HiddenReader({
      ...this.#options,
      ledger: this.#ledger,
      mustStop: () => this.#mustStop(),
    });
    const isWhole = await reader.read(this.#seen);
    if (!isWhole) this.#stop ??= { reason: "gaps" };
  }

  get #scope(): Scope {
    return this.#hides ? "hidden" : "listed";
  }

  #stopBy(error: unknown): ScanStop {
    if (!(error instanceof ObserverError) || error.code === "INTERRUPTED") throw error;
    const isWaiting = error.code === "N8N_TIMEOUT" || error.code === "RATE_LIMITED";
    const isLate = isWaiting && this.#options.clock.now() >= this.#deadline;
    // An n8n that has not answered anything is not just slow.
    const hasAnswered = this.#ledger.readCount > 0 || this.#believed.isUnderWay;
    return isLate && hasAnswered ? { reason: "time" } : { reason: "n8n", error };
  }

  #newListing(filtersDates: boolean): Listing {
    const { window, capabilities } = this.#options;
    return new Listing({
      list: async (query) => await this.#list(query),
      window,
      unreadOf: async (items) => this.#believed.unreadOf(items),
      stretches: () => this.#believed.stretches,
      listsAll: this.#hides,
      onListed: (items) => this.#seen.see(items),
      onWhole: (range, ids, askedAt) => this.#options.store.rows.markMissing(range, ids, askedAt),
      now: () => this.#options.clock.now(),
      stopAt: this.#options.head?.stopAt ?? null,
      firstPageSize: this.#options.head?.listed ?? FIRST_PAGE_SIZE,
      filtersDates,
      onNoDateFilter: async () => await capabilities.learn({ filtersDates: false }),
    });
  }

  async #list(query: ExecutionQuery): Promise<ListedExecutions> {
    const { clock } = this.#options;
    const { client } = this.#lists;
    const ask = () => client.listExecutions(query, { timeoutMs: timeoutOf(clock, this.#deadline) });
    const page = await withRetries(ask, clock, this.#deadline);
    for (const id of page.unrecognizedIds) this.#ledger.skip(id, "its shape is unknown");
    const isOther = await this.#options.capabilities.see(page.executions);
    // Another n8n answers: what the one lists and what the other does make no whole.
    if (isOther) this.#ledger.forbidClaims();
    return page;
  }

  /**
   * Two at a time; when one fails for good, the other ends its page, and no more begin. While a page is kept, the
   * next one is asked for.
   */
  async #work(jobs: AsyncGenerator<Job, void>): Promise<void> {
    const keeping: Promise<unknown>[] = [];
    await mapConcurrently(this.#untilFailure(jobs), CONCURRENT_PAGES, async (job) => {
      try {
        await this.#readJob(job);
      } catch (error) {
        this.#stop ??= this.#stopBy(error);
      }
      const oldest = keeping.length < CONCURRENT_PAGES ? undefined : keeping.shift();
      if (oldest !== undefined) throwIfFailed(await oldest);
      keeping.push(failureOf(this.#ledger.checkpoint()));
    });
    for (const kept of keeping) throwIfFailed(await kept);
  }

  /** What another scan reads just now is waited for, and read only if it was not read in the end. */
  async #readJob(job: Job): Promise<void> {
    if (isUnlisted(job)) return await this.#unlisted.read(job);
    if (this.#options.own === null) await this.#readShared(job.run);
    else await this.#runs.read(job.run);
    this.#claims.finish(job.step);
  }

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
      wanted = this.#believed.changedOf(run.items.filter(({ id }) => others.has(id)));
    }
  }

  /** n8n's failure is an end, too: the page that is being read meanwhile still counts. */
  async *#untilFailure(jobs: AsyncGenerator<Job, void>): AsyncGenerator<Job, void> {
    try {
      yield* jobs;
    } catch (error) {
      this.#stop ??= this.#stopBy(error);
    }
  }

  /** What is to be read, in the order of the list. Ends at the limit, the time budget or a failure. */
  async *#jobs(
    first: IteratorResult<ListedPage, void>,
    pages: AsyncGenerator<ListedPage, void>,
    took: number,
  ): AsyncGenerator<Job, void> {
    for await (const job of this.#listedJobs(first, pages, took)) {
      if (this.#mustStop()) return;
      const within = cutToLimit(job, this.#options.limit - this.#asked);
      // Set before the last part is given away: no other worker may take this end for the whole one.
      if (within !== job) this.#stop = { reason: "limit" };
      if (within === null) return;
      if (this.#asked === 0) this.#atLeastUntil = this.#options.clock.now() + OVERTIME_MS.firstPage;
      this.#asked += within.run.wanted.size;
      this.#claims.begin(within.step);
      yield within;
      if (within !== job) return;
    }
  }

  /** Lists on as long as there is no job to spare, so that n8n is asked while another page is being read. */
  async *#listedJobs(
    first: IteratorResult<ListedPage, void>,
    pages: AsyncGenerator<ListedPage, void>,
    took: number,
  ): AsyncGenerator<Job, void> {
    const spare: Job[] = [];
    let settles: string | null = null;
    for (let next = first; !next.done; ) {
      const page = next.value;
      const [newest] = page.items;
      if (newest !== undefined) this.#options.onTop?.(newest.id);
      settles ??= this.#claims.settlingTime(page.items, took);
      this.#claims.settle(page, settles, this.#unfinished.isWhole);
      this.#unfinished.passed(null, page.isLast ? "0" : (page.low ?? "0"), page.items);
      for await (const part of this.#believed.withPassedOver(page)) {
        this.#ledger.expect(part.items.filter(({ id }) => part.unread.has(id)));
        const jobs = jobsOf(part, this.#options.window.workflowId, this.#options.pageSize.current);
        spare.push(...(jobs.length === 0 ? knownJob(part) : jobs));
        // The first page is asked for at once: until then nobody is busy.
        while (spare.length > (this.#asked === 0 ? 0 : JOBS_TO_SPARE)) yield* spare.splice(0, 1);
        if (this.#mustStop()) return;
      }
      if (this.#unlisted.mayFollow(page)) {
        yield* spare.splice(0);
        yield* this.#unlistedJobs(page);
      }
      try {
        next = await pages.next();
      } catch (error) {
        // What was listed before n8n failed is read all the same.
        yield* spare;
        throw error;
      }
    }
    yield* spare;
  }

  /** Below the page, as far as it goes without lists; the listing goes on from there. */
  async *#unlistedJobs({ low }: ListedPage): AsyncGenerator<Job, void> {
    if (low === null) return;
    let below = low;
    for (;;) {
      const job = this.#unlisted.jobBelow(below, this.#options.limit - this.#asked);
      if (job === null) break;
      yield job;
      below = job.step.low;
    }
    this.#listing?.passOver(await this.#unlisted.end(below));
  }

  #mustStop(): boolean {
    if (this.#stop !== null) return true;
    const mayBeLate = this.#asked === 0 ? OVERTIME_MS.late : 0;
    if (this.#options.clock.now() >= this.#deadline + mayBeLate) this.#stop = { reason: "time" };
    else if (this.#options.isEnough?.() === true) this.#stop = { reason: "enough" };
    return this.#stop !== null;
  }
}

/** A page of which all is known: there is nothing to read, only a step to take. */
function knownJob({ low, isBottom }: ListedPage): Job[] {
  if (low === null) return [];
  const run = { items: [], wanted: new Set<string>(), workflowId: null, query: null };
  return [{ run, step: { low, isBottom } }];
}

/** Waits for the end of both, also when one fails: nothing goes on behind an answer. */
async function allEnded<One, Other>(both: [Promise<One>, Promise<Other>]): Promise<[One, Other]> {
  await Promise.allSettled(both);
  return await Promise.all(both);
}

/** What a promise fails with, or null: so that it may be waited for later. */
const failureOf = async (promise: Promise<void>): Promise<unknown> =>
  await promise.then(
    () => null,
    (error: unknown) => error,
  );

function throwIfFailed(failure: unknown): void {
  if (failure !== null) throw failure;
}
