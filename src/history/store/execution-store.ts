/**
 * What is known of one n8n's history: for each execution that was read its facts, its links and the digests of its
 * correlation ids, and the stretches of history in which all are known. No payload.
 *
 * Every method runs to its end without waiting, so two scans at once cannot mix within one. What n8n deletes stays,
 * marked so. Bounded in rows. Knows nothing of Durable Objects: any SQLite will do.
 */
import type { ExecutionFacts } from "../../executions/execution-facts.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import type { Sql } from "../../platform/sql.ts";
import { CountedCosts } from "../report/index-costs.ts";
import {
  type LastFailure,
  lastFailure,
  MAX_INDEX_BYTES,
  type Milestone,
  type RowCounts,
} from "../report/index-report.ts";
import { FilterBlocks } from "../terms/filter-blocks.ts";
import { ExecutionCounts } from "./execution-counts.ts";
import { ExecutionRows } from "./execution-rows.ts";
import type { IdRange } from "./gaps.ts";
import { IndexDatabase } from "./index-database.ts";
import { KeptLately } from "./kept-lately.ts";
import { type KnownCoverage, knownCoverage } from "./known-coverage.ts";
import { KnownExecutions } from "./known-executions.ts";
import {
  type Candidates,
  type HeldCorrelation,
  type KnownFamily,
  KnownRequests,
  type RememberedMatch,
  type VisibleIds,
} from "./known-requests.ts";
import { KnownStretches, type Scope } from "./known-stretches.ts";
import { ListedStates } from "./listed-states.ts";
import { HeldLookTimes, type LookTimes } from "./look-times.ts";
import type { Checkpoint, MemorableExecution } from "./memorable-execution.ts";
import type { Stretch } from "./stretches.ts";
import type { TraceWindow } from "./trace-window.ts";
import type { TracedExecution } from "./traced-execution.ts";

export interface KnownHistory {
  /** Of which all is known, newest first. */
  readonly stretches: readonly Stretch[];
  /** Known executions of the window that had not ended when they were read, one more than are looked after. */
  readonly unfinished: readonly TracedExecution[];
  /** Ids of listed executions of the window that n8n failed to give, the newest of them. */
  readonly unread: readonly string[];
}

/** Of the executions of an index that is too large, each time. */
const KEPT_OF_TOO_MANY = 0.99;
/** Of the bytes that it may have. */
const FULL = 0.9;

export class ExecutionStore {
  /** What n8n was asked for all of this. */
  readonly costs: CountedCosts;
  /** What a search asks of executions before it reads them. */
  readonly filters: FilterBlocks;
  readonly #sql: Sql;
  readonly #maxBytes: number;
  readonly #database: IndexDatabase;
  readonly #lately = new KeptLately();
  readonly #counts: ExecutionCounts;
  readonly #rows: ExecutionRows;
  readonly #executions: KnownExecutions;
  readonly #requests: KnownRequests;
  readonly #stretches: KnownStretches;
  readonly #listed: ListedStates;
  readonly #lookTimes: HeldLookTimes;

  /** @param maxBytes the oldest executions make room */
  constructor(sql: Sql, maxBytes = MAX_INDEX_BYTES) {
    this.#sql = sql;
    this.#maxBytes = maxBytes;
    const database = new IndexDatabase(sql);
    this.#database = database;
    this.filters = new FilterBlocks(sql);
    this.costs = new CountedCosts(database.fact("costs"), (text) => database.setFact("costs", text));
    this.#counts = new ExecutionCounts(database);
    this.#executions = new KnownExecutions(database);
    this.#requests = new KnownRequests(database, this.#executions);
    this.#stretches = new KnownStretches(database);
    this.#listed = new ListedStates(database, () => this.#forgetStretches());
    this.#lookTimes = this.#readLookTimes();
    const { filters } = this;
    this.#rows = new ExecutionRows({ database, filters, counts: this.#counts, lately: this.#lately });
  }

  #readLookTimes(): HeldLookTimes {
    const syncedAt = this.#database.fact("synced at");
    const kept = {
      syncedAt: syncedAt === undefined ? null : Number(syncedAt),
      settledBefore: this.#database.fact("settled before") ?? null,
    };
    return new HeldLookTimes(kept, (times) => this.#writeLookTimes(times));
  }

  #writeLookTimes({ syncedAt, settledBefore }: LookTimes): void {
    if (syncedAt !== null) this.#database.setFact("synced at", String(syncedAt));
    if (settledBefore !== null) this.#database.setFact("settled before", settledBefore);
    this.costs.keep();
  }

  #forgetStretches(): void {
    this.#stretches.forgetAll();
    this.#lookTimes.forgetSettled();
  }

  /** @see ListedStates.epoch */
  get epoch(): number {
    return this.#listed.epoch;
  }

  /** When n8n was looked at last. */
  get lookTimes(): LookTimes {
    return this.#lookTimes.times;
  }

  /**
   * All that is new was looked at.
   * @param now epoch ms
   * @param settledBefore what began before was in n8n's lists: ISO 8601, null when that is not known
   */
  noteLook(now: number, settledBefore: string | null): void {
    this.#lookTimes.note(now, settledBefore);
  }

  /** Why n8n could not be asked when it was tried by itself; null when that never failed. */
  get lastFailure(): LastFailure | null {
    const text = this.#database.fact("last failure");
    return text === undefined ? null : lastFailure.parse(JSON.parse(text));
  }

  set lastFailure(failure: LastFailure) {
    this.#database.setFact("last failure", JSON.stringify(failure));
  }

  /** What terms are made under. Those that were made under other rules are forgotten. */
  set termRules(rulesDigest: string) {
    if (this.#database.fact("term rules") === rulesDigest) return;
    this.filters.forgetAll();
    this.#lately.forgetAllUnfinished();
    this.#database.setFact("term rules", rulesDigest);
  }

  /** Of which all is known, newest first. */
  stretches(scope: Scope): Stretch[] {
    return this.#stretches.of(scope);
  }

  /** @param scope whose stretches may be passed over */
  known(scope: Scope, window: TraceWindow): KnownHistory {
    return {
      stretches: this.#stretches.of(scope),
      unfinished: this.#executions.unfinishedIn(window),
      unread: this.#executions.unreadIn(window),
    };
  }

  /** @see ListedStates.unknownOf */
  unknownOf(items: readonly ExecutionListItem[]): { ids: string[]; isOtherHistory: boolean } {
    return this.#listed.unknownOf(items);
  }

  /**
   * Keeps what a page brought. What is claimed in another epoch is not: it was believed in part.
   * @param now epoch ms
   */
  keep({ executions, deleted, empty, claims, epoch }: Checkpoint, now: number): void {
    this.markDeleted(deleted);
    this.remember(executions, now);
    this.#stretches.noteEmpty(empty);
    if (epoch !== this.epoch) return;
    for (const { scope, stretch } of claims) this.claim(scope, stretch);
  }

  /** @see ExecutionRows.remember */
  remember(executions: readonly MemorableExecution[], now: number): void {
    this.#rows.remember(executions, now);
  }

  /** @see ExecutionRows.markDeleted */
  markDeleted(ids: readonly string[]): void {
    this.#rows.markDeleted(ids);
  }

  /** @see ExecutionRows.markMissing */
  markMissing(range: IdRange, listed: readonly string[], askedAt: number): void {
    this.#rows.markMissing(range, listed, askedAt);
  }

  /** @see KnownStretches.claim */
  claim(scope: Scope, stretch: Stretch): void {
    this.#stretches.claim(scope, stretch);
  }

  /** @see KnownStretches.gapsIn */
  gapsIn(range: IdRange): { ranges: IdRange[]; isCut: boolean } {
    return this.#stretches.gapsIn(range);
  }

  /** @see KnownExecutions.listedIn */
  knownItems(window: TraceWindow, range: IdRange): ExecutionListItem[] {
    return this.#executions.listedIn(window, range);
  }

  /** The executions with these ids, as far as they are known. */
  executions(ids: readonly string[]): TracedExecution[] {
    return this.#executions.withIds(ids);
  }

  /** @see KnownExecutions.factsOf */
  factsOf(id: string): ExecutionFacts | null {
    return this.#executions.factsOf(id);
  }

  /** @see KnownExecutions.startOf */
  startOf(id: string): string | null {
    return this.#executions.startOf(id);
  }

  /** @see KnownExecutions.endedBelow */
  endedBelow(id: string, most: number): number {
    return this.#executions.endedBelow(id, most);
  }

  /** The newest known execution; null while there is none. */
  get head(): Milestone | null {
    return this.#executions.newest;
  }

  /** @see KnownRequests.matchesOf */
  matchesOf(digest: string, window: TraceWindow, visible: VisibleIds): RememberedMatch[] {
    return this.#requests.matchesOf(digest, window, visible);
  }

  /** @see KnownRequests.candidatesOf */
  candidatesOf(digest: string, window: TraceWindow, visible: VisibleIds, most: number): Candidates {
    return this.#requests.candidatesOf(digest, window, visible, most);
  }

  /** @see KnownRequests.failuresFirst */
  failuresFirst(executionIds: readonly string[]): string[] {
    return this.#requests.failuresFirst(executionIds);
  }

  /** @see KnownRequests.correlationsOf */
  correlationsOf(executionIds: readonly string[], visible: VisibleIds): HeldCorrelation[] {
    return this.#requests.correlationsOf(executionIds, visible);
  }

  /** @see KnownRequests.family */
  family(matchIds: readonly string[]): KnownFamily {
    return this.#requests.family(matchIds);
  }

  /** What is known of the window from the newest execution down to this one. */
  coverage(window: TraceWindow, downTo: string): KnownCoverage {
    return knownCoverage(this.#database, this.#counts, window, downTo);
  }

  /** How many executions there are. */
  get count(): number {
    return this.#counts.all;
  }

  /** Walks over all rows. */
  countRows(): RowCounts {
    return this.#counts.byKind();
  }

  /**
   * Forgets the oldest where there are more than so many.
   * @returns how many were forgotten
   */
  makeRoom(most: number): number {
    const lowest = this.#executions.idAt(most - 1);
    if (lowest === null) return 0;
    const forgotten = this.#rows.forgetBelow(lowest);
    if (forgotten > 0) this.#stretches.raiseFloor(lowest);
    return forgotten;
  }

  /** True when there is no room for what is older: what is new needs what is left. */
  get isFull(): boolean {
    return this.#sql.databaseSize > FULL * this.#maxBytes;
  }

  /** Forgets the oldest until it is no larger than it may be. */
  keepSize(): void {
    while (this.#sql.databaseSize > this.#maxBytes) {
      if (this.makeRoom(Math.max(1, Math.floor(this.count * KEPT_OF_TOO_MANY))) === 0) return;
    }
  }
}
