/**
 * The scan: lists executions newest first, and reads with data those that are not known yet.
 *
 * Promises: at most two requests at n8n at a time; it ends at the limit, at the time budget, at the end of the
 * window or at n8n's failure, and says which; what it has read is kept after each page, so that a client that
 * goes away loses no more than two pages; what cannot be read is told, never silently dropped.
 */

import { timeoutOf, withRetries } from "../n8n/back-off.ts";
import { hidesUnfinished } from "../n8n/capabilities/capabilities.ts";
import type { KnownCapabilities } from "../n8n/capabilities/store.ts";
import type { ExecutionQuery, ListedExecutions } from "../n8n/client.ts";
import type { ExecutionListItem } from "../n8n/schemas.ts";
import { ObserverError } from "../platform/errors.ts";
import { OVERTIME_MS } from "../platform/time-limits.ts";
import { EVERYTHING, type KnownHistory } from "./execution-memory.ts";
import { Frontier, type FrontierStep } from "./frontier.ts";
import { HiddenReader, type SingleAsks } from "./hidden.ts";
import { type ListedPage, Listing } from "./listing.ts";
import { type ReadOptions, RunReader } from "./read-executions.ts";
import { cutToLimit, type Job, jobsOf } from "./scan-jobs.ts";
import { type LedgerOptions, ScanLedger } from "./scan-ledger.ts";
import { SeenIds } from "./seen-ids.ts";
import { isInside, type Stretch } from "./stretches.ts";
import { hiddenScope, type OwnScopes, type SkippedExecution } from "./trace-state.ts";
import { UnfinishedReader } from "./unfinished.ts";

export interface ScanOptions extends ReadOptions, LedgerOptions {
  /** Where nothing is believed but what was read in these scopes: everything is read anew. */
  readonly ownScopes: OwnScopes | null;
  readonly capabilities: KnownCapabilities;
  readonly asks: SingleAsks;
  /** Most executions to read with data. Running ones do not count. */
  readonly limit: number;
  /** True once what was found is enough for one answer. */
  readonly isEnough?: () => boolean;
}

/**
 * Why the scan ended. `enough`: as much was found as was asked for. `forgotten`: what it passed over as known was
 * forgotten meanwhile. `gaps`: ids that are in no list were left to be asked for. `n8n`: it failed; the error says how.
 */
export type ScanStop =
  | { readonly reason: "complete" | "limit" | "time" | "enough" | "forgotten" | "gaps" }
  | { readonly reason: "n8n"; readonly error: ObserverError };

export interface ScanResult {
  readonly stop: ScanStop;
  /** Every execution of the window down to this id is known; null when none is. */
  readonly downTo: string | null;
  /** Ids of executions that had not ended and were read in this call, or seen to be unchanged. */
  readonly current: ReadonlySet<string>;
  /** How many were read with data in this call. */
  readonly read: number;
  readonly skipped: readonly SkippedExecution[];
  /** Of the memory, when the scan began. */
  readonly generation: number;
}

/** The recommendation of measurements: a third request gains nothing, and n8n pays for it. */
const CONCURRENT_PAGES = 2;
/** Jobs that wait while another list is asked for. */
const JOBS_TO_SPARE = 1;
/** Added to the time that listing took: what had begun then may have been in no list. */
const SETTLING_MS = 1_000;

/** Scans on from what is known. Never throws for n8n's failures: they are the reason to stop. */
export async function scan(options: ScanOptions): Promise<ScanResult> {
  return await new Scan(options).run();
}

class Scan {
  readonly #options: ScanOptions;
  readonly #ledger: ScanLedger;
  readonly #unfinished: UnfinishedReader;
  readonly #frontier = new Frontier();
  /** Of what was read, settled or not. */
  readonly #readFrontier = new Frontier();
  readonly #seen: SeenIds;
  /** This n8n has executions in no list. */
  #hides = false;
  /** Which need not be listed. */
  #stretches: readonly Stretch[] = [];
  /** Which were read in scopes of their own. */
  #read: readonly Stretch[] = [];
  /** True once a page was compared with what is known. */
  #isUnderWay = false;
  #asked = 0;
  #stop: ScanStop | null = null;
  /** Epoch ms. Later than the options' when listing took all the time: each call reads a page, so that calls get to an end. */
  #deadline: number;

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#deadline = options.deadline;
    this.#ledger = new ScanLedger(options);
    this.#seen = new SeenIds(options.window);
    this.#unfinished = new UnfinishedReader({
      ...options,
      ledger: this.#ledger,
      list: async (query) => await this.#list(query),
      changedOf: async (items) => await this.#changedOf(items),
      mustStop: () => this.#mustStop(),
    });
  }

  async run(): Promise<ScanResult> {
    try {
      await this.#readAll();
    } catch (error) {
      this.#stop = this.#stopBy(error);
    }
    await this.#ledger.checkpoint();
    return {
      stop: this.#stop ?? { reason: "complete" },
      downTo: this.#frontier.low,
      current: this.#ledger.current,
      read: this.#ledger.readCount,
      skipped: this.#ledger.skipped,
      generation: this.#ledger.generation,
    };
  }

  async #readAll(): Promise<void> {
    await this.#learnCapabilities();
    const started = this.#options.clock.now();
    // Running ones are read before all others are listed: what ends between is in the lists.
    const [known] = await Promise.all([this.#recall(), this.#unfinished.readRunning()]);
    this.#unfinished.watch(known);
    // What it turned out to refuse just now counts.
    await this.#learnCapabilities();
    const { filtersDates } = await this.#options.capabilities.get();
    const pages = this.#newListing(filtersDates !== false).pages();
    const [first] = await Promise.all([pages.next(), this.#unfinished.listWaiting(known)]);
    const took = this.#options.clock.now() - started;
    await this.#work(this.#jobs(first, pages, took));
    if (this.#stop === null) await this.#unfinished.readChanged(known);
    await this.#readHidden();
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

  /** What was claimed where executions are hidden holds only as long as the gaps are looked at, too. */
  #scope(scope: string): string {
    return this.#hides ? hiddenScope(scope) : scope;
  }

  async #recall(): Promise<KnownHistory> {
    const { memory, ownScopes, window } = this.#options;
    const shared = window.workflowId === null ? [EVERYTHING] : [EVERYTHING, window.workflowId];
    const scopes = ownScopes === null ? shared : [ownScopes.settled, ownScopes.read];
    const known = await memory.known(
      scopes.map((scope) => this.#scope(scope)),
      window,
    );
    this.#ledger.generation = known.generation;
    const readScope = ownScopes === null ? null : this.#scope(ownScopes.read);
    this.#read = known.stretches.filter(({ scope }) => scope === readScope);
    const settled = known.stretches.filter(({ scope }) => scope !== readScope);
    // Of one workflow's executions alone, nobody can tell the gaps.
    const isWhole = (scope: string): boolean =>
      !this.#hides || window.workflowId === null || scope === hiddenScope(EVERYTHING);
    this.#stretches = settled.filter(({ scope }) => isWhole(scope));
    return known;
  }

  #stopBy(error: unknown): ScanStop {
    if (!(error instanceof ObserverError) || error.code === "INTERRUPTED") throw error;
    const isWaiting = error.code === "N8N_TIMEOUT" || error.code === "RATE_LIMITED";
    const isLate = isWaiting && this.#options.clock.now() >= this.#deadline;
    // An n8n that has not answered anything is not just slow.
    const hasAnswered = this.#ledger.readCount > 0 || this.#isUnderWay;
    return isLate && hasAnswered ? { reason: "time" } : { reason: "n8n", error };
  }

  #newListing(filtersDates: boolean): Listing {
    const { window, capabilities } = this.#options;
    return new Listing({
      list: async (query) => await this.#list(query),
      window,
      unreadOf: async (items) => await this.#unreadOf(items),
      stretches: () => this.#stretches,
      listsAll: this.#hides,
      onListed: (items) => this.#seen.see(items),
      filtersDates,
      onNoDateFilter: async () => await capabilities.learn({ filtersDates: false }),
    });
  }

  async #list(query: ExecutionQuery): Promise<ListedExecutions> {
    const { client, clock } = this.#options;
    const ask = () => client.listExecutions(query, { timeoutMs: timeoutOf(clock, this.#deadline) });
    const page = await withRetries(ask, clock, this.#deadline);
    for (const id of page.unrecognizedIds) this.#ledger.skip(id, "its shape is unknown");
    const isOther = await this.#options.capabilities.see(page.executions);
    // Another n8n answers: what the one lists and what the other does make no whole.
    if (isOther) this.#ledger.forbidClaims();
    return page;
  }

  /** In scopes of its own, all that it has not read itself; else what is not known. */
  async #unreadOf(items: readonly ExecutionListItem[]): Promise<ReadonlySet<string>> {
    if (items.length === 0) return new Set();
    const changed = await this.#changedOf(items);
    this.#isUnderWay = true;
    if (this.#options.ownScopes === null) return changed;
    const isRead = (id: string): boolean => this.#read.some((stretch) => isInside(id, stretch));
    return new Set(items.map(({ id }) => id).filter((id) => changed.has(id) || !isRead(id)));
  }

  /** Of what n8n lists, the ids that are not as they are remembered. */
  async #changedOf(items: readonly ExecutionListItem[]): Promise<ReadonlySet<string>> {
    const { ids, isOtherHistory, generation } = await this.#options.memory.unknownOf(items);
    if (isOtherHistory) this.#forgetHistory(generation);
    return new Set(ids);
  }

  /**
   * This n8n was set up anew, or restored: nothing that was learnt of it holds. At the first page that is no
   * harm; later, what was passed over as known has to be looked at by another call.
   */
  #forgetHistory(generation: number): void {
    this.#ledger.generation = generation;
    this.#stretches = [];
    this.#read = [];
    if (!this.#isUnderWay) return;
    this.#ledger.forbidClaims();
    throw new ObserverError("N8N_BAD_RESPONSE", "n8n has other executions under ids that were known.", {
      solution: "It was set up anew, or restored. Call again: everything is read anew.",
    });
  }

  /**
   * Two at a time; when one fails for good, the other ends its page, and no more begin. While a page is kept, the
   * next one is asked for.
   */
  async #work(jobs: AsyncGenerator<Job, void>): Promise<void> {
    const deadline = (): number => this.#deadline;
    const options = {
      ...this.#options,
      get deadline() {
        return deadline();
      },
    };
    const reader = new RunReader(options, this.#ledger);
    const worker = async (): Promise<void> => {
      let kept: Promise<unknown> = Promise.resolve(null);
      for (let job = await this.#nextOf(jobs); job !== null; job = await this.#nextOf(jobs)) {
        try {
          await reader.read(job.run);
          this.#finish(job.step);
        } catch (error) {
          this.#stop ??= this.#stopBy(error);
        }
        throwIfFailed(await kept);
        kept = failureOf(this.#ledger.checkpoint());
      }
      throwIfFailed(await kept);
    };
    await Promise.all(Array.from({ length: CONCURRENT_PAGES }, worker));
  }

  /** Null at the end. n8n's failure is an end, too: the page that is being read meanwhile still counts. */
  async #nextOf(jobs: AsyncGenerator<Job, void>): Promise<Job | null> {
    try {
      const next = await jobs.next();
      return next.done === true ? null : next.value;
    } catch (error) {
      this.#stop ??= this.#stopBy(error);
      return null;
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
      if (this.#asked === 0)
        this.#deadline = Math.max(this.#deadline, this.#options.clock.now() + OVERTIME_MS.firstPage);
      this.#asked += within.run.wanted.size;
      this.#begin(within.step);
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
      settles ??= settlingTime(page.items, took);
      this.#settle(page, settles);
      this.#ledger.expect(page.items.filter(({ id }) => page.unread.has(id)));
      const jobs = jobsOf(page, this.#options.window.workflowId, this.#options.pageSize.current);
      spare.push(...(jobs.length === 0 ? knownJob(page) : jobs));
      // The first page is asked for at once: until then nobody is busy.
      while (spare.length > (this.#asked === 0 ? 0 : JOBS_TO_SPARE)) yield* spare.splice(0, 1);
      if (this.#mustStop()) return;
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

  #mustStop(): boolean {
    if (this.#stop !== null) return true;
    const mayBeLate = this.#asked === 0 ? OVERTIME_MS.late : 0;
    if (this.#options.clock.now() >= this.#deadline + mayBeLate) this.#stop = { reason: "time" };
    else if (this.#options.isEnough?.() === true) this.#stop = { reason: "enough" };
    return this.#stop !== null;
  }

  /** Only a list without dates tells that there is nothing between its executions. */
  #settle(page: ListedPage, settles: string | null): void {
    const { window } = this.#options;
    const newest = page.items[0]?.id ?? page.low;
    if (newest !== null) this.#readFrontier.settleAt(newest);
    if (!this.#unfinished.isWhole || window.startedAfter !== null || window.startedBefore !== null) return;
    const settled = page.items.find(
      (item) => settles === null || (item.startedAt !== null && item.startedAt <= settles),
    );
    const id = settled?.id ?? (page.items.length === 0 ? page.low : null);
    if (id !== null) this.#frontier.settleAt(id);
  }

  #begin(step: FrontierStep): void {
    this.#frontier.begin(step);
    this.#readFrontier.begin(step);
  }

  #finish(step: FrontierStep): void {
    const { ownScopes, window } = this.#options;
    const settled = this.#frontier.finish(step);
    const read = this.#readFrontier.finish(step);
    if (settled !== null) this.#ledger.claim(this.#scope(window.workflowId ?? EVERYTHING), settled);
    if (ownScopes === null) return;
    if (settled !== null) this.#ledger.claim(this.#scope(ownScopes.settled), settled);
    if (read !== null) this.#ledger.claim(this.#scope(ownScopes.read), read);
  }
}

/** A page of which all is known: there is nothing to read, only a step to take. */
function knownJob({ low, isBottom }: ListedPage): Job[] {
  if (low === null) return [];
  const run = { items: [], wanted: new Set<string>(), workflowId: null, query: null };
  return [{ run, step: { low, isBottom } }];
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

/** What began before this time was in one of the lists, ISO 8601; null when no start is known. */
function settlingTime(items: readonly ExecutionListItem[], took: number): string | null {
  const newest = items.reduce<string>(
    (latest, { startedAt }) => ((startedAt ?? "") > latest ? (startedAt ?? "") : latest),
    "",
  );
  return newest === "" ? null : new Date(Date.parse(newest) - took - SETTLING_MS).toISOString();
}
