/**
 * What is known about the history of one n8n: the facts, links and digests of correlation ids of each execution that
 * was read, and the stretches of history in which all executions are known. No payload.
 *
 * Every method of the store and its parts is synchronous, so concurrent scans cannot interleave within one. Executions
 * that n8n deletes stay, marked as deleted. The number of rows is bounded. Any SQLite works.
 */
import type { View } from "../../n8n/view.ts";
import { HOUR_MS } from "../../platform/durations.ts";
import { memoizeByObject } from "../../platform/memoize.ts";
import type { Sql } from "../../platform/sql.ts";
import { CountedCosts } from "../report/index-costs.ts";
import {
  type BackStep,
  backStep,
  type LastFailure,
  lastFailure,
  MAX_INDEX_BYTES,
  STEP_EXECUTIONS,
} from "../report/index-report.ts";
import { FilterBlocks } from "../terms/filter-blocks.ts";
import { ExecutionCounts } from "./execution-counts.ts";
import { ExecutionRows } from "./execution-rows.ts";
import { GivenIds } from "./given-ids.ts";
import { IndexDatabase } from "./index-database.ts";
import { KnownExecutions } from "./known-executions.ts";
import { KnownQueue } from "./known-queue.ts";
import { KnownStretches, type Scope } from "./known-stretches.ts";
import { ListedStates } from "./listed-states.ts";
import { LookTimes } from "./look-times.ts";
import type { Checkpoint } from "./memorable-execution.ts";
import { RunningLooks } from "./running-looks.ts";
import { SingleReadTimes } from "./single-read-times.ts";
import type { Stretch } from "./stretches.ts";
import type { TraceWindow } from "./trace-window.ts";
import type { TracedExecution } from "./traced-execution.ts";
import { VisibleHistory } from "./visible-history.ts";

export interface KnownHistory {
  readonly stretches: readonly Stretch[];
  /** Known executions of the window that had not ended when they were read, up to one more than the limit. */
  readonly unfinished: readonly TracedExecution[];
  readonly unread: readonly string[];
}

/** The oldest known execution must have begun this much before a window, since ids follow starts only roughly. */
const START_MARGIN_MS = HOUR_MS;
/** The share of executions that is kept each time the index is too large. */
const KEPT_OF_TOO_MANY = 0.99;
/** The share of the maximum size at which the index counts as full. */
const FULL = 0.9;

export class ExecutionStore {
  readonly costs: CountedCosts;
  readonly filters: FilterBlocks;
  readonly executions: KnownExecutions;
  readonly stretches: KnownStretches;
  readonly rows: ExecutionRows;
  readonly counts: ExecutionCounts;
  readonly listed: ListedStates;
  readonly lookTimes: LookTimes;
  readonly queue: KnownQueue;
  readonly running = new RunningLooks();
  readonly singleReadTimes = new SingleReadTimes();
  /** When n8n did not have linked executions. */
  readonly goneTimes = new SingleReadTimes();
  readonly givenIds: GivenIds;
  readonly #maxBytes: number;
  readonly #database: IndexDatabase;
  #timesForgotten = 0;

  /** @param maxBytes maximum size; the oldest executions are removed to stay below it */
  constructor(sql: Sql, maxBytes = MAX_INDEX_BYTES) {
    this.#maxBytes = maxBytes;
    const database = new IndexDatabase(sql);
    this.#database = database;
    this.costs = new CountedCosts(database.fact("costs"), (text) => database.setFact("costs", text));
    this.filters = new FilterBlocks(sql);
    this.executions = new KnownExecutions(database);
    this.stretches = new KnownStretches(database);
    this.counts = new ExecutionCounts(database);
    this.rows = new ExecutionRows(database, this.filters, this.counts);
    this.lookTimes = new LookTimes(database, this.costs);
    this.queue = new KnownQueue(database);
    this.givenIds = new GivenIds(database);
    this.listed = new ListedStates(database, this, () => {
      this.stretches.forgetAll();
      this.lookTimes.forgetSettled();
      this.queue.forget();
      this.givenIds.forget();
      this.rows.recent.noteNewEpoch();
    });
  }

  /** The part of the history that a caller may see. */
  readonly visibleTo = memoizeByObject(
    (view: View) => new VisibleHistory(this.#database.sql, this.queue, this.counts, view),
  );

  /** Why the background sync's last failed request to n8n failed; null if none ever failed. */
  get lastFailure(): LastFailure | null {
    return this.#database.factOf("last failure", lastFailure) ?? null;
  }

  set lastFailure(failure: LastFailure) {
    this.#database.setFact("last failure", JSON.stringify(failure));
  }

  /** The size of a backfill step of the background sync. */
  get step(): BackStep {
    return this.#database.factOf("step", backStep) ?? { executions: STEP_EXECUTIONS, isOver: true };
  }

  set step(step: BackStep) {
    this.#database.setFact("step", JSON.stringify(step));
  }

  /** Removes all term filters if they were made under other rules. */
  set termRules(rulesDigest: string) {
    if (this.#database.fact("term rules") === rulesDigest) return;
    this.filters.forgetAll();
    this.rows.recent.forgetAllUnfinished();
    this.#database.setFact("term rules", rulesDigest);
  }

  /** @param scope whose stretches may be skipped */
  known(scope: Scope, window: TraceWindow): KnownHistory {
    return {
      stretches: this.stretches.of(scope),
      unfinished: this.executions.unfinishedIn(window),
      unread: this.executions.unreadIn(window),
    };
  }

  /** True if everything since the start of the window is known, except new executions. */
  isKnownSince({ startedAfter }: TraceWindow, scope: Scope): boolean {
    const [newest] = this.stretches.of(scope);
    if (newest === undefined || newest.isBottom || startedAfter === null) return newest?.isBottom === true;
    const start = this.executions.startOf(newest.low);
    return start !== null && Date.parse(start) <= Date.parse(startedAfter) - START_MARGIN_MS;
  }

  /**
   * Stores the results of a page. Claims from another epoch are dropped, since they rest partly on the former history.
   * @param now epoch ms
   */
  keep({ executions: all, deleted, empty, claims, epoch }: Checkpoint, now: number): void {
    const { executions, isOtherHistory } = this.rows.upToDate(all, now);
    this.#database.atomically(() => {
      if (isOtherHistory) this.listed.compareAnew();
      this.rows.markDeleted(this.rows.notKeptSince(deleted));
      this.rows.remember(executions, now);
      this.stretches.noteEmpty(empty);
      if (epoch !== this.listed.epoch) return;
      for (const { scope, stretch } of claims) this.stretches.claim(scope, stretch);
    });
  }

  /** How often executions were removed to make room. */
  get timesForgotten(): number {
    return this.#timesForgotten;
  }

  /** Removes the oldest executions beyond `most`, one batch per call. @returns how many; 0 once there is room */
  makeRoom(most: number): number {
    const lowest = this.counts.idAt(most - 1);
    if (lowest === null) return 0;
    return this.#database.atomically(() => {
      const gone = this.rows.forgetBelow(lowest);
      const highest = gone.at(-1);
      if (highest === undefined) return 0;
      this.#timesForgotten += 1;
      this.stretches.raiseFloor(this.executions.begunAbove(highest) ?? lowest);
      return gone.length;
    });
  }

  /** Allows removed history to be claimed again. A new epoch begins, so that scans that skipped it do not claim it. */
  liftFloor(): void {
    if (!this.stretches.hasFloor) return;
    this.#database.forgetFacts("floor");
    this.listed.countEpoch();
  }

  /** True if there is no room for older executions; the rest is reserved for new ones. */
  get isFull(): boolean {
    return this.#database.sql.databaseSize > FULL * this.#maxBytes;
  }

  /** Removes the oldest executions while the index exceeds its maximum size. */
  keepSize(): void {
    while (this.#database.sql.databaseSize > this.#maxBytes) {
      if (this.makeRoom(Math.max(1, Math.floor(this.counts.all * KEPT_OF_TOO_MANY))) === 0) return;
    }
  }
}
