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
import type { KnownCapabilities } from "../../n8n/capabilities/store.ts";
import type { ExecutionQuery, ListedExecutions } from "../../n8n/client.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { ObserverError } from "../../platform/errors.ts";
import { OVERTIME_MS } from "../../platform/time-limits.ts";
import { type ListedRun, type ReadOptions, RunReader } from "../reading/read-executions.ts";
import type { OwnReading } from "../resuming/own-reading.ts";
import type { KnownHistory } from "../store/execution-store.ts";
import type { Scope } from "../store/known-stretches.ts";
import { isInside, type Stretch } from "../store/stretches.ts";
import type { FilterPage } from "../terms/filter-blocks.ts";
import type { TermFilter } from "../terms/term-filter.ts";
import { Frontier, type FrontierStep } from "./frontier.ts";
import { HiddenReader, type SingleAsks } from "./hidden.ts";
import { type ListedPage, Listing } from "./listing.ts";
import type { ReadsUnderWay } from "./reads-under-way.ts";
import { cutToLimit, type Job, jobsOf } from "./scan-jobs.ts";
import type { SkippedExecution } from "./scan-ledger.ts";
import { type LedgerOptions, ScanLedger } from "./scan-ledger.ts";
import { SeenIds } from "./seen-ids.ts";
import { UnfinishedReader } from "./unfinished.ts";

export interface ScanOptions extends ReadOptions, LedgerOptions {
  /** Where nothing is believed but what was read there: everything is read anew. */
  readonly own: OwnReading | null;
  /** Tells known executions in which what is sought is not. Without it, it may be in each. */
  readonly ruling?: Ruling;
  /** Null where everything down to the end of the window is looked at. */
  readonly head: HeadOptions | null;
  /** Told of the newest execution that is listed. */
  readonly onTop?: (id: string) => void;
  /** What other scans of this n8n are reading just now. */
  readonly underWay: ReadsUnderWay;
  readonly capabilities: KnownCapabilities;
  readonly asks: SingleAsks;
  /** Most executions to read with data. Running ones do not count. */
  readonly limit: number;
  /** True once what was found is enough for one answer. */
  readonly isEnough?: () => boolean;
}

/** What the filters of known executions say about what is sought. */
export interface Ruling {
  /** True where it is not in an execution with this filter. */
  rulesOut(filter: TermFilter): boolean;
  /** Told of executions of the window that are ruled out as far as filters can: a part of them has no terms. */
  onPartial(id: string): void;
}

/** A look at what is new: what runs, what waits and what was listed last are asked for at the same time. */
export interface HeadOptions {
  /** Everything from this id down is known already; null where nothing is. */
  readonly stopAt: string | null;
  /**
   * ISO 8601: only what began before the look before this one is claimed. What ends while n8n is asked may be in none
   * of its lists; what had begun before was seen by that look, or is in the lists now.
   */
  readonly settledBefore: string | null;
}

/**
 * Why the scan ended. `enough`: as much was found as was asked for. `forgotten`: n8n has another history than the one
 * that it passed over as known. `gaps`: ids that are in no list were left to be asked for. `n8n`: it failed; the error says how.
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
  /** What began before was in one of n8n's lists, ISO 8601; null when that is not known. */
  readonly settles: string | null;
}

/** Before the first execution of any n8n. */
const NEVER = "0000";
/** The recommendation of measurements: a third request gains nothing, and n8n pays for it. */
const CONCURRENT_PAGES = 2;
/** Jobs that wait while another list is asked for. */
const JOBS_TO_SPARE = 1;
/** Added to the time that listing took: what had begun then may have been in no list. */
const SETTLING_MS = 1_000;

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
  #settles: string | null = null;
  /** Epoch ms. Later than the options' when listing took all the time: each call reads a page, so that calls get to an end. */
  #atLeastUntil = Number.NEGATIVE_INFINITY;

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#ledger = new ScanLedger(options);
    this.#seen = new SeenIds(options.window);
    const deadline = (): number => this.#deadline;
    this.#lists = options.client.sharingTurn();
    this.#unfinished = new UnfinishedReader({
      ...options,
      client: this.#lists.client,
      get deadline() {
        return deadline();
      },
      ledger: this.#ledger,
      list: async (query) => await this.#list(query),
      changedOf: async (items) => await this.#changedOf(items),
      mustStop: () => this.#mustStop(),
    });
  }

  /** Epoch ms: that of the options may change while the scan runs. */
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
    const isForgotten = this.#options.store.epoch !== this.#ledger.epoch;
    return this.resultSoFar(isForgotten ? { reason: "forgotten" } : (this.#stop ?? { reason: "complete" }));
  }

  /** How far it is. @param stop why whoever asks waits no longer */
  resultSoFar(stop: ScanStop): ScanResult {
    return {
      stop,
      downTo: this.#frontier.low,
      current: this.#ledger.current,
      read: this.#ledger.readCount,
      skipped: this.#ledger.skipped,
      settles: this.#settles,
    };
  }

  /** How many executions it has begun to read. */
  get asked(): number {
    return this.#asked;
  }

  async #readAll(): Promise<void> {
    await this.#learnCapabilities();
    const started = this.#options.clock.now();
    const known = this.#recall();
    if (this.#options.head === null) await this.#unfinished.listNew(known);
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
    const pages = this.#newListing(filtersDates !== false).pages();
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

  #recall(): KnownHistory {
    const { store, own, window } = this.#options;
    const known = store.known(this.#scope, window);
    this.#ledger.epoch = store.epoch;
    const ownStretches = own?.open(store.epoch, this.#scope) ?? null;
    this.#read = ownStretches?.read ?? [];
    // Of one workflow's executions alone, nobody can tell the gaps.
    const isBlind = ownStretches !== null && this.#hides && window.workflowId !== null;
    this.#stretches = isBlind ? [] : this.#passedOver(known.stretches, ownStretches?.settled ?? null);
    return known;
  }

  /** Which stretches need not be listed. */
  #passedOver(known: readonly Stretch[], own: readonly Stretch[] | null): readonly Stretch[] {
    if (own === null) return known;
    // What may be read of known ones is found without n8n's lists.
    return this.#options.ruling === undefined ? own : [...own, ...known];
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
      onWhole: (range, ids, askedAt) => this.#options.store.markMissing(range, ids, askedAt),
      now: () => this.#options.clock.now(),
      stopAt: this.#options.head?.stopAt ?? null,
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

  /** All that it has not read itself, where it believes nothing; else what is not known. */
  async #unreadOf(items: readonly ExecutionListItem[]): Promise<ReadonlySet<string>> {
    if (items.length === 0) return new Set();
    const changed = await this.#changedOf(items);
    this.#isUnderWay = true;
    if (this.#options.own === null) return changed;
    const ids = items.map(({ id }) => id);
    const known = ids.filter((id) => !changed.has(id));
    const { ruling, store } = this.#options;
    const filters = ruling === undefined ? new Map<string, TermFilter>() : store.filters.of(known);
    const unread = this.#unreadKnown(known, filters);
    return new Set(ids.filter((id) => changed.has(id) || unread.has(id)));
  }

  /** Of what is known, what it has to read itself. */
  #unreadKnown(ids: readonly string[], filters: ReadonlyMap<string, TermFilter | null>): ReadonlySet<string> {
    const isRead = (id: string): boolean => this.#read.some((stretch) => isInside(id, stretch));
    const isRuledOut = (id: string): boolean => {
      const filter = filters.get(id) ?? null;
      if (filter === null || this.#options.ruling?.rulesOut(filter) !== true) return false;
      if (filter.isPartial) this.#options.ruling.onPartial(id);
      return true;
    };
    return new Set(ids.filter((id) => !isRead(id) && !isRuledOut(id)));
  }

  /** Of what n8n lists, the ids that are not as they are remembered. */
  async #changedOf(items: readonly ExecutionListItem[]): Promise<ReadonlySet<string>> {
    const { ids, isOtherHistory } = this.#options.store.unknownOf(items);
    if (isOtherHistory) this.#forgetHistory();
    return new Set(ids);
  }

  /**
   * This n8n was set up anew, or restored: what was passed over as known may be another execution now. At the first
   * page that is no harm; later, what is known has to be compared with all that n8n lists.
   */
  #forgetHistory(): void {
    const { store, own } = this.#options;
    this.#stretches = [];
    this.#read = [];
    if (this.#isUnderWay) {
      this.#ledger.forbidClaims();
      return;
    }
    this.#ledger.epoch = store.epoch;
    own?.open(store.epoch, this.#scope);
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
    const keeping: Promise<unknown>[] = [];
    await mapConcurrently(this.#untilFailure(jobs), CONCURRENT_PAGES, async (job) => {
      try {
        await this.#readJob(reader, job);
        this.#finish(job.step);
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
  async #readJob(reader: RunReader, { run }: Job): Promise<void> {
    const { own, underWay } = this.#options;
    if (own !== null) return await reader.read(run);
    for (let wanted = run.wanted; wanted.size > 0; ) {
      const reading = underWay.begin(wanted);
      try {
        await reader.read({ ...run, wanted: reading.mine });
        // Whoever waits for it finds it kept.
        await this.#ledger.checkpoint();
      } finally {
        reading.end();
      }
      await reading.others;
      wanted = await this.#stillUnread(run, new Set([...wanted].filter((id) => !reading.mine.has(id))));
    }
  }

  async #stillUnread({ items }: ListedRun, wanted: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    return await this.#changedOf(items.filter(({ id }) => wanted.has(id)));
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
      const [newest] = page.items;
      if (newest !== undefined) this.#options.onTop?.(newest.id);
      settles ??= this.#settlingTime(page.items, took);
      this.#settle(page, settles);
      for await (const part of this.#withKnown(page)) {
        this.#ledger.expect(part.items.filter(({ id }) => part.unread.has(id)));
        const jobs = jobsOf(part, this.#options.window.workflowId, this.#options.pageSize.current);
        spare.push(...(jobs.length === 0 ? knownJob(part) : jobs));
        // The first page is asked for at once: until then nobody is busy.
        while (spare.length > (this.#asked === 0 ? 0 : JOBS_TO_SPARE)) yield* spare.splice(0, 1);
        if (this.#mustStop()) return;
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

  /** The page, and what was passed over below it, where that may have to be read. */
  async *#withKnown(page: ListedPage): AsyncGenerator<ListedPage, void> {
    const { ruling, store, clock } = this.#options;
    const { listedTo, low, isBottom } = page;
    if (ruling === undefined || listedTo === null || low === null || listedTo === low) return yield page;
    yield { ...page, low: listedTo, isBottom: false };
    for (let below = listedTo; ; ) {
      const known = store.filters.page(below, low, (filter) => filter.isPartial || !ruling.rulesOut(filter));
      if (known === null) break;
      yield { ...page, ...this.#ofKnown(known), low: known.low, isBottom: false, query: null };
      below = known.low;
      // A long history is walked over without n8n: others get their turn.
      await clock.sleep(0);
    }
    yield { ...page, items: [], unread: new Set(), low, isBottom };
  }

  /** What is to be read of known executions: in most pages nothing, and then their rows are not asked for. */
  #ofKnown({ filters }: FilterPage): Pick<ListedPage, "items" | "unread"> {
    const { store, window } = this.#options;
    const [high, low] = [[...filters.keys()][0], [...filters.keys()].at(-1)];
    if (high === undefined || low === undefined) return { items: [], unread: new Set() };
    const items = store.knownItems(window, { high, low });
    const ids = items.map(({ id }) => id).filter((id) => filters.has(id));
    return { items, unread: this.#unreadKnown(ids, filters) };
  }

  #mustStop(): boolean {
    if (this.#stop !== null) return true;
    const mayBeLate = this.#asked === 0 ? OVERTIME_MS.late : 0;
    if (this.#options.clock.now() >= this.#deadline + mayBeLate) this.#stop = { reason: "time" };
    else if (this.#options.isEnough?.() === true) this.#stop = { reason: "enough" };
    return this.#stop !== null;
  }

  /** What began before is in one of the lists; ISO 8601, null when no start is known. */
  #settlingTime(items: readonly ExecutionListItem[], took: number): string | null {
    const { head } = this.#options;
    this.#settles = settlingTime(items, took);
    return head === null ? this.#settles : (head.settledBefore ?? NEVER);
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
    const { own, window, store } = this.#options;
    const settled = this.#frontier.finish(step);
    const read = this.#readFrontier.finish(step);
    if (settled !== null && window.workflowId === null) this.#ledger.claim(this.#scope, settled);
    if (own === null || store.epoch !== own.stretches.epoch) return;
    if (settled !== null) own.claim("settled", settled);
    if (read !== null) own.claim("read", read);
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

/** What began before this time was in one of the lists, ISO 8601; null when no start is known. */
function settlingTime(items: readonly ExecutionListItem[], took: number): string | null {
  const newest = items.reduce<string>(
    (latest, { startedAt }) => ((startedAt ?? "") > latest ? (startedAt ?? "") : latest),
    "",
  );
  return newest === "" ? null : new Date(Date.parse(newest) - took - SETTLING_MS).toISOString();
}
