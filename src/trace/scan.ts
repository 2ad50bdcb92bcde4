/**
 * The scan: lists executions newest first, and reads with data those that are not known yet.
 *
 * Promises: at most two requests at n8n at a time; it ends at the limit, at the time budget, at the end of the
 * window or at n8n's failure, and says which; what it has read is kept after each page, so that a client that
 * goes away loses no more than two pages; what cannot be read is told, never silently dropped.
 */
import { ObserverError } from "../errors.ts";
import type { ExecutionQuery, N8nClient } from "../n8n/client.ts";
import type { ExecutionListItem } from "../n8n/schemas.ts";
import { mayPass, timeoutOf, withRetries } from "./back-off.ts";
import type { CorrelationDigest } from "./correlation-digest.ts";
import { EVERYTHING, type KnownHistory, type MemorableExecution } from "./execution-memory.ts";
import { Frontier, type FrontierStep } from "./frontier.ts";
import { isInWindow, type ListedPage, Listing } from "./listing.ts";
import {
  type ListedRun,
  type Reading,
  type ReadingEvents,
  type ReadOptions,
  RunReader,
  readOne,
  readPage,
} from "./read-executions.ts";
import { isInside, type Stretch } from "./stretches.ts";
import { toMemorable } from "./to-memorable.ts";
import type { TraceMemory } from "./trace-memory.ts";
import type { OwnScopes, SkippedExecution } from "./trace-state.ts";
import type { TraceWindow } from "./trace-window.ts";
import { hasEnded, type TracedExecution, toUnreadExecution } from "./traced-execution.ts";

export interface ScanOptions extends ReadOptions {
  readonly memory: TraceMemory;
  readonly digest: CorrelationDigest;
  readonly window: TraceWindow;
  /** Where nothing is believed but what was read in these scopes: everything is read anew. */
  readonly ownScopes: OwnScopes | null;
  /** Most executions to read with data. Running ones do not count. */
  readonly limit: number;
  /** True once what was found is enough for one answer. */
  readonly isEnough?: () => boolean;
  /** Told of each execution of the window as it is read. */
  readonly onRead: (reading: Reading) => void;
  /** Told after each page: how many were read in this call, and the start of the last one, ISO 8601. */
  readonly onPage: (read: number, back: string | null) => Promise<void>;
}

/** Why the scan ended. `enough`: as much was found as was asked for. `n8n`: it failed; the error says how. */
export type ScanStop =
  | { readonly reason: "complete" | "limit" | "time" | "enough" }
  | { readonly reason: "n8n"; readonly error: ObserverError };

export interface ScanResult {
  readonly stop: ScanStop;
  /** Every execution of the window down to this id is known; null when none is. */
  readonly downTo: string | null;
  /** Ids of those that were read in this call, or seen to be unchanged though they had not ended. */
  readonly current: ReadonlySet<string>;
  /** How many were read with data in this call. */
  readonly read: number;
  readonly skipped: readonly SkippedExecution[];
}

/** The recommendation of measurements: a third request gains nothing, and n8n pays for it. */
const CONCURRENT_PAGES = 2;
/** Known executions between unknown ones are read again rather than asked around, up to this many. */
const MAX_KNOWN_BETWEEN = 10;
const MAX_RUNNING = 100;
const MAX_WAITING = 250;
/** Executions that went on since they were read, and are asked for one by one. */
const MAX_SINGLE_READS = 100;
/** Added to the time that listing took: what had begun then may have been in no list. */
const SETTLING_MS = 1_000;

/** Scans on from what is known. Never throws for n8n's failures: they are the reason to stop. */
export async function scan(options: ScanOptions): Promise<ScanResult> {
  return await new Scan(options).run();
}

/** A run of listed executions to read, and how far down everything is known once they are. */
interface Job {
  readonly run: ListedRun;
  readonly step: FrontierStep;
}

class Scan {
  readonly #options: ScanOptions;
  readonly #scopes: readonly string[];
  readonly #frontier = new Frontier();
  /** Of what was read, settled or not. */
  readonly #readFrontier = new Frontier();
  readonly #skipped: SkippedExecution[] = [];
  readonly #readIds = new Set<string>();
  readonly #asleep = new Set<string>();
  #batch: MemorableExecution[] = [];
  #listed = new Map<string, ExecutionListItem>();
  #forgotten: string[] = [];
  /** Listed as not ended, and in no page. */
  readonly #wentOn: string[] = [];
  #claims: { scope: string; stretch: Stretch }[] = [];
  /** Which need not be listed. */
  #stretches: readonly Stretch[] = [];
  /** Which were read in a scope of their own. */
  #read: readonly Stretch[] = [];
  /** False when executions run that were not seen: they may end inside of what would be claimed. */
  #maySettle = true;
  #asked = 0;
  #vanished = 0;
  #back: string | null = null;
  #stop: ScanStop | null = null;

  constructor(options: ScanOptions) {
    this.#options = options;
    const { ownScopes, window } = options;
    const shared = window.workflowId === null ? [EVERYTHING] : [EVERYTHING, window.workflowId];
    this.#scopes = ownScopes === null ? shared : [ownScopes.settled, ownScopes.read];
  }

  async run(): Promise<ScanResult> {
    try {
      const { memory, window } = this.#options;
      const known = await memory.known(this.#scopes, window);
      await this.#readAll(known);
    } catch (error) {
      this.#stop = this.#stopBy(error);
    }
    await this.#checkpoint();
    return {
      stop: this.#stop ?? { reason: "complete" },
      downTo: this.#frontier.low,
      current: new Set([...this.#readIds, ...this.#asleep]),
      read: this.#readIds.size,
      skipped: [...this.#skipped, ...this.#vanishedNote()],
    };
  }

  async #readAll(known: KnownHistory): Promise<void> {
    const { ownScopes } = this.#options;
    this.#read = known.stretches.filter(({ scope }) => scope === ownScopes?.read);
    this.#stretches = known.stretches.filter(({ scope }) => scope !== ownScopes?.read);
    const listing = this.#newListing(known);
    const pages = listing.pages();
    const started = this.#options.clock.now();
    // One after the other: what ends between them is in the second list.
    const running = await this.#listRunning();
    const first = await pages.next();
    const took = this.#options.clock.now() - started;
    await this.#readRunning(running);
    const jobs = this.#jobs(first, pages, took);
    await this.#work(jobs);
    if (this.#stop === null) await this.#readChanged(known, running);
  }

  #stopBy(error: unknown): ScanStop {
    if (!(error instanceof ObserverError)) throw error;
    const isLate = this.#options.clock.now() >= this.#options.deadline;
    return error.code === "N8N_TIMEOUT" && isLate ? { reason: "time" } : { reason: "n8n", error };
  }

  #newListing(known: KnownHistory): Listing {
    const { window, memory } = this.#options;
    return new Listing({
      list: async (query) => await this.#list(query),
      window,
      unreadOf: async (items) => await this.#unreadOf(items),
      stretches: () => this.#stretches,
      filtersDates: known.filtersDates,
      onNoDateFilter: async () => await memory.learnNoDateFilter(),
    });
  }

  /** In a scope of its own, all that it has not read itself; else what is not known. */
  async #unreadOf(items: readonly ExecutionListItem[]): Promise<ReadonlySet<string>> {
    if (items.length === 0) return new Set();
    const { ids, isOtherHistory } = await this.#options.memory.unknownOf(items);
    if (isOtherHistory) {
      // This n8n was set up anew, or restored: nothing that was learnt of it holds.
      this.#stretches = [];
      this.#read = [];
      return new Set(items.map(({ id }) => id));
    }
    const unknown = new Set(ids);
    if (this.#options.ownScopes === null) return unknown;
    const isRead = (id: string): boolean => this.#read.some((stretch) => isInside(id, stretch));
    return new Set(items.map(({ id }) => id).filter((id) => unknown.has(id) || !isRead(id)));
  }

  async #list(query: ExecutionQuery): ReturnType<N8nClient["listExecutions"]> {
    const { client, clock, deadline } = this.#options;
    const ask = () => client.listExecutions(query, { timeoutMs: timeoutOf(clock, deadline) });
    const page = await withRetries(ask, clock, deadline);
    for (const id of page.strangeIds) this.#skip(id, "its shape is unknown");
    return page;
  }

  /** Running executions are in no list but their own. */
  async #listRunning(): Promise<ExecutionListItem[]> {
    const { window } = this.#options;
    const query = { workflowId: window.workflowId ?? undefined, status: "running" as const };
    const { executions, nextCursor } = await this.#list({ ...query, limit: MAX_RUNNING });
    this.#maySettle = nextCursor === null;
    if (nextCursor !== null)
      this.#skip(null, `more than ${MAX_RUNNING} executions are running; the newest were read`);
    return executions.filter((item) => isInWindow(item, window));
  }

  /** Their data changes as they run, so they are read each time. */
  async #readRunning(running: readonly ExecutionListItem[]): Promise<void> {
    if (running.length === 0) return;
    const { window } = this.#options;
    const query = { workflowId: window.workflowId ?? undefined, status: "running" as const };
    const { clock, deadline } = this.#options;
    const page = { ...query, limit: MAX_RUNNING };
    for (const item of running) this.#listed.set(item.id, item);
    try {
      await withRetries(async () => await readPage(page, this.#options, this.#events()), clock, deadline);
    } catch (error) {
      if (!mayPass(error)) throw error;
    }
    await this.#readLeft(running);
    await this.#checkpoint();
  }

  /** Those that were listed, and have ended since, or at which n8n failed. What is not read now is read later. */
  async #readLeft(running: readonly ExecutionListItem[]): Promise<void> {
    for (const { id } of running.filter((item) => !this.#readIds.has(item.id))) {
      if (this.#mustStop()) this.#events().unreadable(id, "the scan ended before it was read");
      else await this.#readAgain(id);
    }
  }

  /** Two at a time; when one fails for good, the other ends its page, and no more begin. */
  async #work(jobs: AsyncGenerator<Job, void>): Promise<void> {
    const reader = new RunReader(this.#options, this.#events());
    const worker = async (): Promise<void> => {
      for (let job = await this.#nextOf(jobs); job !== null; job = await this.#nextOf(jobs)) {
        try {
          await reader.read(job.run);
          this.#finish(job.step);
        } catch (error) {
          this.#stop ??= this.#stopBy(error);
        }
        await this.#checkpoint();
      }
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
    let settles: string | null = null;
    for (let next = first; !next.done; next = await pages.next()) {
      const page = next.value;
      settles ??= settlingTime(page.items, took);
      this.#settle(page, settles);
      for (const job of this.#jobsOf(page)) {
        if (this.#mustStop()) return;
        const within = cutToLimit(job, this.#options.limit - this.#asked);
        // Set before the last part is given away: no other worker may take this end for the whole one.
        if (within !== job) this.#stop = { reason: "limit" };
        if (within === null) return;
        this.#asked += within.run.wanted.size;
        this.#begin(within.step);
        yield within;
        if (within !== job) return;
      }
      if (this.#mustStop()) return;
    }
  }

  #mustStop(): boolean {
    if (this.#stop !== null) return true;
    if (this.#options.clock.now() >= this.#options.deadline) this.#stop = { reason: "time" };
    else if (this.#options.isEnough?.() === true) this.#stop = { reason: "enough" };
    return this.#stop !== null;
  }

  /** Only a list without dates tells that there is nothing between its executions. */
  #settle(page: ListedPage, settles: string | null): void {
    const { window } = this.#options;
    const newest = page.items[0]?.id ?? page.low;
    if (newest !== null) this.#readFrontier.settleAt(newest);
    if (!this.#maySettle || window.startedAfter !== null || window.startedBefore !== null) return;
    const settled = page.items.find(
      (item) => settles === null || (item.startedAt !== null && item.startedAt <= settles),
    );
    const id = settled?.id ?? (page.items.length === 0 ? page.low : null);
    if (id !== null) this.#frontier.settleAt(id);
  }

  #jobsOf(page: ListedPage): Job[] {
    const { items, unread: unknown, low, isBottom, query } = page;
    if (low === null) return [];
    for (const item of items) if (unknown.has(item.id)) this.#listed.set(item.id, item);
    const { workflowId } = this.#options.window;
    const runs = query === null ? runsOf(items, unknown, this.#options.pageSize.current) : [items];
    const jobs = runs
      .filter((run) => run.length > 0 && unknown.size > 0)
      .map((run) => {
        const wanted = new Set(run.map(({ id }) => id).filter((id) => unknown.has(id)));
        return {
          run: { items: run, wanted, workflowId, query },
          step: { low: run.at(-1)?.id ?? low, isBottom: false },
        };
      });
    const last = jobs.at(-1);
    const bottom = { low, isBottom };
    if (last !== undefined) return [...jobs.slice(0, -1), { ...last, step: bottom }];
    this.#begin(bottom);
    this.#finish(bottom);
    return [];
  }

  #begin(step: FrontierStep): void {
    this.#frontier.begin(step);
    this.#readFrontier.begin(step);
  }

  #finish(step: FrontierStep): void {
    const { ownScopes, window } = this.#options;
    const settled = this.#frontier.finish(step);
    const read = this.#readFrontier.finish(step);
    if (settled !== null) this.#claims.push({ scope: window.workflowId ?? EVERYTHING, stretch: settled });
    if (ownScopes === null) return;
    if (settled !== null) this.#claims.push({ scope: ownScopes.settled, stretch: settled });
    if (read !== null) this.#claims.push({ scope: ownScopes.read, stretch: read });
  }

  /** Executions that had not ended when they were read, and that no list of this scan has shown. */
  async #readChanged(known: KnownHistory, running: readonly ExecutionListItem[]): Promise<void> {
    const isRunning = new Set(running.map(({ id }) => id));
    const left = known.unended.filter(({ id }) => !this.#readIds.has(id) && !isRunning.has(id));
    const waiting = left.filter(({ status }) => status === "waiting");
    const others = left.filter(({ status }) => status !== "waiting").map(({ id }) => id);
    const again = [...this.#wentOn, ...others, ...(await this.#awake(waiting)), ...known.unread];
    const changed = [...new Set(again)].filter((id) => !this.#readIds.has(id));
    if (changed.length > MAX_SINGLE_READS)
      this.#skip(null, `${changed.length - MAX_SINGLE_READS} executions went on since they were read`);
    for (const id of changed.slice(0, MAX_SINGLE_READS)) {
      if (this.#mustStop()) return;
      await this.#readAgain(id);
    }
    await this.#checkpoint();
  }

  /** Those of the known sleepers that do not sleep the same sleep any more. */
  async #awake(waiting: readonly TracedExecution[]): Promise<string[]> {
    if (waiting.length === 0) return [];
    const { window, memory } = this.#options;
    const query = { workflowId: window.workflowId ?? undefined, status: "waiting" as const };
    const { executions } = await this.#list({ ...query, limit: MAX_WAITING });
    const unknown = await memory.unknownOf(executions);
    for (const { id } of executions) if (!unknown.ids.includes(id)) this.#asleep.add(id);
    return waiting.filter(({ id }) => !this.#asleep.has(id)).map(({ id }) => id);
  }

  async #readAgain(id: string): Promise<void> {
    try {
      await readOne(id, this.#options, this.#events());
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
      if (error.code === "EXECUTION_NOT_FOUND") this.#forgotten.push(id);
      else if (!mayPass(error)) throw error;
      else
        this.#events().unreadable(
          id,
          `it went on or failed before, and n8n fails to give it, with ${error.code}`,
        );
    }
  }

  #events(): ReadingEvents {
    return {
      read: (reading) => this.#keep(reading),
      unreadable: (id, reason) => {
        const listed = id === null ? undefined : this.#listed.get(id);
        if (listed === undefined) this.#skip(id, reason);
        else this.#batch.push(toUnread(listed, reason));
      },
      vanished: (id) => this.#noteVanished(id),
    };
  }

  /** Only what had ended is gone for good: another one may run now, and be in no list but that of the running. */
  #noteVanished(id: string): void {
    const listed = this.#listed.get(id);
    if (listed !== undefined && !hasEnded(listed)) {
      this.#batch.push(toUnread(listed, "it went on before it was read"));
      this.#wentOn.push(id);
      return;
    }
    this.#vanished += 1;
    this.#forgotten.push(id);
  }

  #keep(reading: Reading): void {
    const { execution } = reading;
    this.#readIds.add(execution.id);
    this.#listed.delete(execution.id);
    if (execution.startedAt !== null) this.#back = execution.startedAt;
    this.#batch.push(toMemorable(reading, this.#options.digest));
    if (isInWindow(execution, this.#options.window)) this.#options.onRead(reading);
  }

  #skip(executionId: string | null, reason: string): void {
    this.#skipped.push({ executionId, reason });
  }

  #vanishedNote(): SkippedExecution[] {
    if (this.#vanished === 0) return [];
    const count = this.#vanished === 1 ? "1 execution was" : `${this.#vanished} executions were`;
    return [{ executionId: null, reason: `${count} deleted by n8n before it could be read` }];
  }

  /** Keeps what was read since the last time. */
  async #checkpoint(): Promise<void> {
    const checkpoint = { executions: this.#batch, forgotten: this.#forgotten, claims: this.#claims };
    if (checkpoint.executions.length + checkpoint.forgotten.length + checkpoint.claims.length === 0) return;
    this.#batch = [];
    this.#forgotten = [];
    this.#claims = [];
    await this.#options.memory.keep(checkpoint);
    await this.#options.onPage(this.#readIds.size, this.#back);
  }
}

function toUnread(item: ExecutionListItem, problem: string): MemorableExecution {
  return { execution: toUnreadExecution(item), correlations: [], problem, isRead: false };
}

/** What began before this time was in one of the lists, ISO 8601; null when no start is known. */
function settlingTime(items: readonly ExecutionListItem[], took: number): string | null {
  const newest = items.reduce<string>(
    (latest, { startedAt }) => ((startedAt ?? "") > latest ? (startedAt ?? "") : latest),
    "",
  );
  return newest === "" ? null : new Date(Date.parse(newest) - took - SETTLING_MS).toISOString();
}

/** Splits a list where many known executions stand between unknown ones, and at the page size. */
function runsOf(
  items: readonly ExecutionListItem[],
  unknown: ReadonlySet<string>,
  pageSize: number,
): ExecutionListItem[][] {
  const runs: ExecutionListItem[][] = [];
  let run: ExecutionListItem[] = [];
  let between: ExecutionListItem[] = [];
  for (const item of items) {
    if (!unknown.has(item.id)) {
      between.push(item);
      continue;
    }
    if (run.length > 0 && (between.length > MAX_KNOWN_BETWEEN || run.length + between.length >= pageSize)) {
      runs.push(run);
      run = [];
    } else if (run.length > 0) {
      run.push(...between);
    }
    between = [];
    run.push(item);
  }
  return run.length > 0 ? [...runs, run] : runs;
}

/** The first `room` wanted executions of a job: all of it, a part of it, or null for nothing. */
function cutToLimit(job: Job, room: number): Job | null {
  const { run } = job;
  if (room <= 0) return null;
  if (run.wanted.size <= room) return job;
  const wanted = new Set(
    run.items
      .map(({ id }) => id)
      .filter((id) => run.wanted.has(id))
      .slice(0, room),
  );
  const end = run.items.findLastIndex(({ id }) => wanted.has(id)) + 1;
  const items = run.items.slice(0, end);
  return {
    run: { ...run, items, wanted },
    step: { low: items.at(-1)?.id ?? job.step.low, isBottom: false },
  };
}
