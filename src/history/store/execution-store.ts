/**
 * What is known about one n8n's history: for each execution that was read its facts, its links and the digests of its
 * correlation ids, and the stretches of history in which all are known. No payload.
 *
 * Every method of the store and its parts is synchronous, so concurrent scans cannot interleave within one. Executions
 * that n8n deletes stay, marked as deleted. Bounded in rows. Knows nothing of Durable Objects: any SQLite will do.
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
  /** Known executions of the window that had not ended when they were read, one more than the limit. */
  readonly unfinished: readonly TracedExecution[];
  readonly unread: readonly string[];
}

/** How much earlier than a window the oldest known execution has begun: ids count up nearly as starts do. */
const START_MARGIN_MS = HOUR_MS;
/** The share of executions that an index keeps each time it is found too large. */
const KEPT_OF_TOO_MANY = 0.99;
/** The share of its bytes at which an index counts as full. */
const FULL = 0.9;

export class ExecutionStore {
  readonly costs: CountedCosts;
  /** Lets a search rule executions out before it reads them. */
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
  /** When n8n did not have what others link to. */
  readonly goneTimes = new SingleReadTimes();
  readonly givenIds: GivenIds;
  readonly #sql: Sql;
  readonly #maxBytes: number;
  readonly #database: IndexDatabase;
  #timesForgotten = 0;

  /** @param maxBytes the oldest executions make room */
  constructor(sql: Sql, maxBytes = MAX_INDEX_BYTES) {
    this.#sql = sql;
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
    this.listed = new ListedStates(database, this.running, this.stretches, () => {
      this.stretches.forgetAll();
      this.lookTimes.forgetSettled();
      this.queue.forget();
      this.givenIds.forget();
      this.rows.noteNewEpoch();
    });
  }

  /** What a question may be answered from. */
  readonly visibleTo = memoizeByObject(
    (view: View) => new VisibleHistory(this.#sql, this.queue, this.counts, view),
  );

  /** Why the background sync's last failed request to n8n failed; null if none ever failed. */
  get lastFailure(): LastFailure | null {
    return this.#database.factOf("last failure", lastFailure) ?? null;
  }

  set lastFailure(failure: LastFailure) {
    this.#database.setFact("last failure", JSON.stringify(failure));
  }

  /** How many executions the background sync reads back in a step. */
  get step(): BackStep {
    return this.#database.factOf("step", backStep) ?? { executions: STEP_EXECUTIONS, isOver: true };
  }

  set step(step: BackStep) {
    this.#database.setFact("step", JSON.stringify(step));
  }

  /** Terms that were made under other rules are forgotten. */
  set termRules(rulesDigest: string) {
    if (this.#database.fact("term rules") === rulesDigest) return;
    this.filters.forgetAll();
    this.rows.forgetLately();
    this.#database.setFact("term rules", rulesDigest);
  }

  /** @param scope whose stretches may be passed over */
  known(scope: Scope, window: TraceWindow): KnownHistory {
    return {
      stretches: this.stretches.of(scope),
      unfinished: this.executions.unfinishedIn(window),
      unread: this.executions.unreadIn(window),
    };
  }

  /** True if everything since the start of the window is known, except what is new. */
  isKnownSince({ startedAfter }: TraceWindow, scope: Scope): boolean {
    const [newest] = this.stretches.of(scope);
    if (newest === undefined || newest.isBottom || startedAfter === null) return newest?.isBottom === true;
    const start = this.executions.startOf(newest.low);
    return start !== null && Date.parse(start) <= Date.parse(startedAfter) - START_MARGIN_MS;
  }

  /**
   * Stores the results of a page. Claims from another epoch are dropped: they rest partly on the former history.
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

  /** How often executions were forgotten to make room. */
  get timesForgotten(): number {
    return this.#timesForgotten;
  }

  /**
   * Forgets the oldest executions beyond so many, a part of them at a time: what is forgotten stays so, though whoever
   * asks for more may be cut off. @returns how many were forgotten; 0 once there is room
   */
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

  /** Lets what was forgotten be claimed again, but not by whoever passed over it as known: so an epoch begins. */
  liftFloor(): void {
    if (!this.stretches.hasFloor) return;
    this.#database.forgetFacts("floor");
    this.listed.countEpoch();
  }

  /** True if there is no room for older executions: new ones need the rest. */
  get isFull(): boolean {
    return this.#sql.databaseSize > FULL * this.#maxBytes;
  }

  /** Forgets the oldest executions while the index is larger than it may be. */
  keepSize(): void {
    while (this.#sql.databaseSize > this.#maxBytes) {
      if (this.makeRoom(Math.max(1, Math.floor(this.counts.all * KEPT_OF_TOO_MANY))) === 0) return;
    }
  }
}
