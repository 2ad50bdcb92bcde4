/** The limits of one scan: its deadline, how many executions it may read, and why it ends. Requests all lists. */
import { mayPass, timeoutOf, withRetries } from "../../n8n/back-off.ts";
import { hidesUnfinished } from "../../n8n/capabilities/capabilities.ts";
import type { ExecutionQuery, ListedExecutions } from "../../n8n/client.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { isNotFound, ObserverError, orElse } from "../../platform/errors.ts";
import { newestFirst } from "../../platform/id-order.ts";
import { StorageFull } from "../../platform/object-calls.ts";
import { OVERTIME_MS, TIME_BUDGET_MS } from "../../platform/time-limits.ts";
import { givenMs, isTimeout, readOne } from "../reading/read-executions.ts";
import { type ReadingEvents, type ReadOptions, replaceRead } from "../reading/reading.ts";
import { ScanLedger } from "./ledger.ts";
import { ScanRanges } from "./ranges.ts";
import type { ScanOptions, ScanStop } from "./scan-options.ts";

/** Measured: n8n answers a third concurrent request no sooner, and it only adds load. */
const CONCURRENT_REQUESTS = 2;
/** n8n is single-threaded: other users' requests wait behind each page that it prepares. */
const REQUESTS_BESIDE_OTHERS = 1;

/** The lists of executions about to start, of running ones and of the newest, requested one after the other. */
export const LISTS_BEFORE_A_PAGE = 3;
/** A page with data may take as long as this many lists. */
export const PAGE_IN_ANSWERS = 2;

export class ScanSession {
  readonly options: ScanOptions;
  readonly ranges: ScanRanges;
  readonly ledger: ScanLedger;
  readonly reading: ReadOptions;
  /** Reads in the same turn as the lists. */
  readonly readingInTurn: ReadOptions;
  /** A client whose requests share a turn at the limiter. */
  readonly lists: ReturnType<ScanOptions["client"]["sharingTurn"]>;
  #stop: ScanStop | null = null;
  #begun = 0;
  #hasAnswered = false;
  /** Epoch ms. */
  readonly #beganAt: number;
  /** Epoch ms. Extends the deadline when listing used up the time, so that each call reads at least one page. */
  #atLeastUntil = Number.NEGATIVE_INFINITY;

  constructor(options: ScanOptions) {
    this.options = options;
    this.ranges = new ScanRanges(options);
    this.ledger = new ScanLedger(options, this.ranges);
    this.#beganAt = options.clock.now();
    const client = options.client.atMost(() =>
      options.thread?.isShared === true ? REQUESTS_BESIDE_OTHERS : CONCURRENT_REQUESTS,
    );
    this.lists = client.sharingTurn();
    this.reading = this.inTime({ ...options, client });
    this.readingInTurn = this.inTime({ ...options, client: this.lists.client });
  }

  /** The options with the deadline of the scan, which moves: callers that join the scan extend it. */
  inTime(options: ReadOptions): ReadOptions {
    const deadline = (): number => this.#deadline;
    return {
      ...options,
      get deadline() {
        return deadline();
      },
    };
  }

  get #deadline(): number {
    const { deadline } = this.options;
    return this.#withinPatience(
      Math.max(deadline + (this.#begun === 0 ? this.#lateMs : 0), this.#atLeastUntil),
    );
  }

  /** No later than clients wait, unless the caller allowed more time. @param time epoch ms */
  #withinPatience(time: number): number {
    const { deadline, isBackground = false } = this.options;
    return isBackground ? time : Math.min(time, Math.max(deadline, this.#beganAt + TIME_BUDGET_MS.most));
  }

  /** By how much the lists before the first page may miss the deadline. An n8n that has answered is slow, not down. */
  get #lateMs(): number {
    const { late } = OVERTIME_MS;
    return this.#inAnswers(LISTS_BEFORE_A_PAGE, { ...late, least: this.#hasAnswered ? late.least : 0 });
  }

  /** The time that n8n takes for this many answers, in milliseconds. */
  #inAnswers(count: number, { least, most, background }: typeof OVERTIME_MS.late): number {
    const { slowReads, isBackground = false } = this.options;
    return slowReads.timeFor(count, { least, most: isBackground ? background : most });
  }

  /** True when this n8n leaves executions out of its lists. */
  get hidesExecutions(): boolean {
    return this.ranges.scope === "hidden";
  }

  /** Number of executions that the scan has begun to read. */
  get begun(): number {
    return this.#begun;
  }

  get remaining(): number {
    return this.options.limit - this.#begun;
  }

  begin(count: number): void {
    const least = this.#inAnswers(PAGE_IN_ANSWERS, OVERTIME_MS.firstPage);
    if (this.#begun === 0 && count > 0) this.#atLeastUntil = this.options.clock.now() + least;
    this.#begun += count;
  }

  /** Extra time for a list that was requested: the one that shows the end of history comes last. */
  get #listMs(): number {
    return this.#inAnswers(PAGE_IN_ANSWERS, { ...OVERTIME_MS.firstPage, least: 0 });
  }

  /** Why the scan ends; null while it may continue. */
  get stop(): ScanStop | null {
    return this.#stop;
  }

  /** Keeps the first reason. */
  end(stop: ScanStop): void {
    this.#stop ??= stop;
  }

  /** @throws any error that is not a failure of n8n */
  endBy(error: unknown): void {
    this.#stop ??= this.#stopBy(error);
  }

  /** For a failure outside of pages, which overrides earlier reasons. @throws any error that is not a failure of n8n */
  fail(error: unknown): void {
    this.#stop = this.#stopBy(error);
  }

  /** True once no more pages begin: n8n could not answer another one in time. */
  get isTimeUp(): boolean {
    const { clock, slowReads } = this.options;
    return clock.now() >= this.#deadline - (this.#begun === 0 ? 0 : slowReads.answerMs);
  }

  mustStop(): boolean {
    if (this.#stop !== null) return true;
    if (this.isTimeUp) this.#stop = { reason: "time" };
    else if (this.options.isEnough?.() === true) this.#stop = { reason: "enough" };
    return this.#stop !== null;
  }

  #stopBy(error: unknown): ScanStop {
    if (!(error instanceof ObserverError) || error.code === "INTERRUPTED") throw error;
    const isWaiting = error.code === "N8N_TIMEOUT" || error.code === "RATE_LIMITED";
    const isLate =
      isWaiting && this.options.clock.now() >= Math.max(this.options.deadline, this.#atLeastUntil);
    // If n8n has not answered at all, it is not just slow.
    const hasAnswered = this.ledger.readCount > 0 || this.ranges.hasCompared;
    if (isLate && hasAnswered) return { reason: "time" };
    return { reason: error instanceof StorageFull ? "storage" : "n8n", error };
  }

  /** If n8n began to list more during the scan, what it left out before still has to be found. @throws ObserverError */
  async learnCapabilities(): Promise<void> {
    const { capabilities, client, clock } = this.options;
    const ask = () => capabilities.withStatuses(client, timeoutOf(clock, this.#deadline));
    const present = await withRetries(ask, { clock }, this.#deadline);
    if (hidesUnfinished(present)) this.ranges.scope = "hidden";
    this.ranges.mayQueue = present.queues !== false;
  }

  /** One page without data. @throws ObserverError */
  async list(query: ExecutionQuery): Promise<ListedExecutions & { readonly tries: number }> {
    const { clock, capabilities, slowReads } = this.options;
    let tries = 0;
    const ask = async () => {
      tries += 1;
      let askedAt = clock.now();
      const timeoutMs = timeoutOf(
        clock,
        Math.max(this.#deadline, this.#withinPatience(askedAt + this.#listMs)),
      );
      const beforeTry = (): void => {
        askedAt = clock.now();
      };
      const listed = await this.lists.client.listExecutions(query, { timeoutMs, beforeTry });
      this.#hasAnswered = true;
      slowReads.noteAnswer(clock.now() - askedAt);
      return listed;
    };
    const page = await withRetries(ask, { clock }, this.#deadline);
    for (const id of page.unrecognizedIds) this.ledger.unrecognized(id);
    const isOther = await capabilities.see(page.executions);
    // Another n8n answers: lists of two instances do not form one history.
    if (isOther) this.ranges.forbidClaims();
    return { ...page, tries, executions: page.executions.toSorted((a, b) => newestFirst(a.id, b.id)) };
  }

  /**
   * Reads one execution.
   * @param events receives the outcome, instead of the ledger
   * @returns "gone" if n8n has no execution with this id, "unreadable" if it came in a form that cannot be read, or the
   * failure if it may be temporary
   * @throws ObserverError any other failure
   */
  async readOne(
    id: string,
    events: ReadingEvents = this.ledger,
  ): Promise<"read" | "gone" | "unreadable" | ObserverError> {
    const { clock, slowReads, store } = this.options;
    const askedAt = clock.now();
    let hasArrived = false;
    const noting = replaceRead(events, (reading) => {
      hasArrived = true;
      events.read(reading);
    });
    const ask = async () => await readOne(id, this.readingInTurn, noting).then(() => "asked" as const);
    const outcome = (await this.#unlessGone(ask)) ?? "gone";
    const tookMs = clock.now() - askedAt;
    if (!(outcome instanceof ObserverError)) store.singleReadTimes.note(id, askedAt);
    if (hasArrived || outcome === "gone") slowReads.noteArrived([id]);
    // A read that was cut off by the end of this call does not count as a failure.
    else if (!isTimeout(outcome) || slowReads.hadEnoughTime(Math.min(tookMs, givenMs(outcome))))
      slowReads.noteFailure(id, tookMs, clock.now());
    return outcome !== "asked" ? outcome : hasArrived ? "read" : "unreadable";
  }

  /** The list item of one execution. Null if n8n has none with this id. @throws as `readOne` */
  async itemOf(id: string): Promise<ExecutionListItem | ObserverError | null> {
    const timeoutMs = timeoutOf(this.options.clock, this.#deadline);
    return await this.#unlessGone(() => this.lists.client.readExecutionItem(id, { timeoutMs }));
  }

  async #unlessGone<Answer>(ask: () => Promise<Answer>): Promise<Answer | ObserverError | null> {
    return await orElse(ask, (error) => {
      if (isNotFound(error)) return null;
      if (mayPass(error)) return error;
      throw error;
    });
  }
}
