/**
 * The history of one n8n and all queries on it. The only writer of what is known; all users share it, except the state
 * of their own traces and searches.
 *
 * Knows nothing of Durable Objects: any SQLite will do, and any clock.
 */

import type { KnownCapabilities } from "../n8n/capabilities/store.ts";
import type { KnownWorkflows } from "../n8n/unsaved-workflows.ts";
import { SharedReading } from "../platform/shared-reading.ts";
import type { Sql } from "../platform/sql.ts";
import { type BackgroundResult, type BackgroundSettings, BackgroundSync } from "./background-sync.ts";
import { DigestRows } from "./digest/digest-rows.ts";
import { type FailureQuery, failuresInHistory, type HistoryFailures } from "./digest/failure-query.ts";
import type { HistoryStatus } from "./history-queries.ts";
import type { RedactLarge } from "./payload/payload-items.ts";
import { type ExecutionQuery, type QueriedExecutions, queryHistory } from "./query/execution-query.ts";
import type { HistoryReport } from "./report/index-report.ts";
import type { OwnTraces } from "./resuming/trace-state.ts";
import { TraceStates } from "./resuming/trace-states.ts";
import { type ScanSources, SharedScans, scopeOf } from "./scan/shared-scans.ts";
import type { ReportProgress } from "./scan/stop-facts.ts";
import { type HistorySearch, type SearchQuery, searchInHistory } from "./search/search-query.ts";
import { ExecutionStore } from "./store/execution-store.ts";
import type { TracedExecution } from "./store/traced-execution.ts";
import { callsOfWorkflow, type RanCall } from "./store/workflow-calls.ts";
import type { HistoryTrace, TraceQuery } from "./trace/history-trace.ts";
import { traceInHistory } from "./trace/trace-in-history.ts";

/** Who asks, and what is read with for them. */
export interface Caller {
  readonly userId: string;
  readonly sources: ScanSources;
  readonly newId: () => string;
  readonly progress: ReportProgress;
  /** Aborts when they have gone away. */
  readonly gone?: AbortSignal | undefined;
}

const MAX_CLOSER_LOOKS = 1_000;
/** Workflows are read at most so often for all users: n8n sends each whole. */
const WORKFLOWS_KNOWN_MS = 60_000;

export class InstanceHistory {
  readonly store: ExecutionStore;
  readonly scans: SharedScans;
  readonly #states: TraceStates;
  readonly #background: BackgroundSync;
  readonly #digestRows: DigestRows;
  /** What is wrong in successes that were looked at, or are being looked at: a sentence, or null. */
  readonly #closerLooks = new Map<string, Promise<string | null>>();

  readonly #workflows = new SharedReading<KnownWorkflows>({ sharedMs: WORKFLOWS_KNOWN_MS, isKept: true });
  readonly #sql: Sql;

  constructor(sql: Sql, maxBytes?: number) {
    this.#sql = sql;
    this.store = new ExecutionStore(sql, maxBytes);
    this.scans = new SharedScans(this.store);
    this.#states = new TraceStates(sql);
    this.#digestRows = new DigestRows(sql);
    this.#background = new BackgroundSync(this.store, this.scans);
  }

  /** @throws ObserverError see `HistoryQueries` */
  async trace(query: TraceQuery, caller: Caller): Promise<HistoryTrace> {
    const newTraceId = (): string => `trace_${caller.newId()}`;
    this.#background.wake();
    return await traceInHistory(query, {
      ...this.#prepare(caller),
      traces: this.#tracesOf(caller),
      newTraceId,
    });
  }

  /** @throws ObserverError see `HistoryQueries` */
  async search(query: SearchQuery, caller: Caller, redactShown: RedactLarge): Promise<HistorySearch> {
    const newSearchId = (): string => `search_${caller.newId()}`;
    const searches = this.#tracesOf(caller);
    return await searchInHistory(query, { ...this.#prepare(caller), searches, newSearchId, redactShown });
  }

  /** @throws ObserverError see `HistoryQueries` */
  async failures(query: FailureQuery, caller: Caller): Promise<HistoryFailures> {
    return await failuresInHistory(query, { ...this.#prepare(caller), rows: this.#digestRows });
  }

  /** @throws ObserverError see `HistoryQueries` */
  async query(query: ExecutionQuery, caller: Caller): Promise<QueriedExecutions> {
    return await queryHistory(query, { ...this.#prepare(caller), rows: this.#digestRows }, this.#sql);
  }

  /**
   * @param look reads the execution, for the first who asks
   * @throws ObserverError see `HistoryQueries`
   */
  async wrongIn(executionId: string, look: () => Promise<string | null>): Promise<string | null> {
    const known = this.#closerLooks.get(executionId);
    if (known !== undefined) return await known;
    const looking = this.#look(executionId, look);
    this.#closerLooks.set(executionId, looking);
    const [oldest] = this.#closerLooks.keys();
    if (this.#closerLooks.size > MAX_CLOSER_LOOKS && oldest !== undefined) this.#closerLooks.delete(oldest);
    try {
      return await looking;
    } catch (error) {
      this.#closerLooks.delete(executionId);
      throw error;
    }
  }

  async #look(executionId: string, look: () => Promise<string | null>): Promise<string | null> {
    const sentence = await look();
    this.judge(executionId, sentence !== null);
    return sentence;
  }

  judge(executionId: string, isWrong: boolean): void {
    this.store.rows.judge(executionId, isWrong);
  }

  familyOf(executionId: string): readonly TracedExecution[] {
    return this.store.requests.family([executionId]).executions;
  }

  /** @param read for the first who asks in a minute @throws what `read` throws */
  async publishedWorkflows(now: number, read: () => Promise<KnownWorkflows>): Promise<KnownWorkflows> {
    return await this.#workflows.get(now, read);
  }

  callsOf(workflowId: string): readonly RanCall[] {
    return callsOfWorkflow(this.#sql, workflowId);
  }

  async status(capabilities: KnownCapabilities): Promise<HistoryStatus> {
    const { counts, lastFailure, isFull } = this.store;
    const { floor, ...known } = await this.#known(capabilities);
    return {
      ...known,
      executions: counts.all,
      knownSince: floor?.startedAt ?? null,
      isFull,
      failure: lastFailure?.isOver === false ? lastFailure.code : null,
    };
  }

  /** For the operator. @param isBrief without what walks over all rows */
  async report(capabilities: KnownCapabilities, isBrief = false): Promise<HistoryReport> {
    const { executions, counts, lastFailure, costs, isFull, step } = this.store;
    const known = { ...(await this.#known(capabilities)), known: counts.all, isFull };
    const rows = isBrief ? null : counts.byKind();
    return { ...known, head: executions.newest, rows, lastFailure, costs: costs.all, step };
  }

  async #known(capabilities: KnownCapabilities) {
    const { executions, stretches, lookTimes, queue } = this.store;
    const [newest] = stretches.of(await scopeOf(capabilities));
    const { syncedAt } = lookTimes;
    return {
      floor: newest === undefined ? null : { id: newest.low, startedAt: executions.startOf(newest.low) },
      isWhole: newest?.isBottom ?? false,
      syncedAt: syncedAt === null ? null : new Date(syncedAt).toISOString(),
      queue: queue.facts(),
    };
  }

  /** One step of the background sync. */
  async step(sources: ScanSources, settings: BackgroundSettings): Promise<BackgroundResult> {
    this.#states.prune(sources.clock.now());
    this.#makeReady(sources);
    return await this.#background.step(sources, settings);
  }

  #prepare({ sources, progress, gone }: Caller) {
    this.#makeReady(sources);
    return { store: this.store, scans: this.scans, sources, progress, gone };
  }

  #makeReady({ terms }: ScanSources): void {
    this.store.termRules = terms.rulesDigest;
    // In the middle of a scan it would forget what that has just read.
    if (!this.scans.isBusy) this.store.keepSize();
  }

  #tracesOf({ userId, sources }: Caller): OwnTraces {
    return this.#states.of(userId, sources.clock);
  }
}
