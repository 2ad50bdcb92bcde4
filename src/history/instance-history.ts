/**
 * The history of one n8n and all queries on it. The only writer of the index, which all users share, except for the
 * state of their own traces.
 *
 * Independent of Durable Objects: any SQLite and any clock work.
 */

import type { CloserLook } from "../executions/closer-look.ts";
import type { KnownCapabilities } from "../n8n/capabilities/store.ts";
import type { KnownWorkflows } from "../n8n/unsaved-workflows.ts";
import type { View } from "../n8n/view.ts";
import { MINUTE_MS } from "../platform/durations.ts";
import { ObserverError, orElse } from "../platform/errors.ts";
import { memoizeByObject } from "../platform/memoize.ts";
import { RememberingSql } from "../platform/remembering-sql.ts";
import { sha256Text } from "../platform/sha256.ts";
import { SharedReading, SharedReadings } from "../platform/shared-reading.ts";
import type { Sql } from "../platform/sql.ts";
import {
  type BackgroundResult,
  type BackgroundSettings,
  BackgroundSync,
  NEXT_STEP_MS,
  roomFor,
} from "./background-sync.ts";
import { type FailureQuery, failuresInHistory, type HistoryFailures } from "./digest/failure-query.ts";
import type { HistoryStatus } from "./history-queries.ts";
import type { RedactLarge } from "./payload/payload-items.ts";
import { type ExecutionQuery, type QueriedExecutions, queryHistory } from "./query/execution-query.ts";
import type { SharedThread } from "./reading/shared-thread.ts";
import { executionsLeft } from "./report/index-progress.ts";
import type { HistoryReport } from "./report/index-report.ts";
import type { OwnTraces } from "./resuming/trace-state.ts";
import { TraceStates } from "./resuming/trace-states.ts";
import type { QueryDependencies } from "./scan/query-dependencies.ts";
import { type ScanSources, SharedScans, scopeOf } from "./scan/shared-scans.ts";
import {
  type AskReadable,
  type HistorySearch,
  type SearchQuery,
  searchInHistory,
} from "./search/search-query.ts";
import { ExecutionStore } from "./store/execution-store.ts";
import type { TracedExecution } from "./store/traced-execution.ts";
import { callsOfWorkflow, type RanCall } from "./store/workflow-calls.ts";
import type { HistoryTrace, TraceDependencies, TraceQuery } from "./trace/history-trace.ts";
import { traceInHistory } from "./trace/trace-in-history.ts";

/** The caller, and the dependencies for its reads. */
export interface Caller extends Pick<QueryDependencies, "sources" | "progress" | "disconnected"> {
  readonly userId: string;
  readonly view: View;
  readonly newId: () => string;
  /** Without it, no other users are assumed. */
  readonly thread?: SharedThread;
}

/** An ended execution does not change any more, but n8n may be configured to withhold its data. */
const CLOSER_LOOKS = { sharedMs: MINUTE_MS, most: 200 };
/** Workflows are read at most this often for all users, because n8n sends each one completely. */
const WORKFLOWS_KNOWN_MS = MINUTE_MS;
/** Replaces all ids of the view, which many looks would keep in memory. */
const digestOf = memoizeByObject(({ key }: View) => sha256Text("base64", key));
/** A call still has its own time after this. */
const MAX_WORKFLOWS_WAIT_MS = 20_000;

export class InstanceHistory {
  readonly store: ExecutionStore;
  readonly scans: SharedScans;
  readonly #states: TraceStates;
  readonly #background: BackgroundSync;
  readonly #closerLooks = new SharedReadings<CloserLook>(CLOSER_LOOKS);
  readonly #workflows = new SharedReading<KnownWorkflows>({ sharedMs: WORKFLOWS_KNOWN_MS, isKept: true });
  readonly #allWorkflows = new SharedReading<KnownWorkflows>({ sharedMs: WORKFLOWS_KNOWN_MS, isKept: true });

  /** @param sql a database without other writers */
  constructor(sql: Sql, maxBytes?: number) {
    this.store = new ExecutionStore(new RememberingSql(sql), maxBytes);
    this.scans = new SharedScans(this.store);
    // They have a table of their own, so their writes do not invalidate the store's cache.
    this.#states = new TraceStates(sql);
    this.#background = new BackgroundSync(this.store, this.scans);
  }

  /** @throws ObserverError see `HistoryQueries` */
  async trace(
    query: TraceQuery,
    caller: Caller,
    onKnown?: TraceDependencies["onKnown"],
  ): Promise<HistoryTrace> {
    const newTraceId = (): string => `trace_${caller.newId()}`;
    this.#background.wake();
    const asking = { ...this.#begin(caller), traces: this.#tracesOf(caller), newTraceId, onKnown };
    return await this.#savingState(async () => await traceInHistory(query, asking));
  }

  /** Traces stored executions only, and writes nothing. @param caller whose client sends no request to n8n */
  async traceInKnown(query: TraceQuery, caller: Caller): Promise<HistoryTrace> {
    const { load } = this.#tracesOf(caller);
    const newTraceId = (): string => `trace_${caller.newId()}`;
    const traces = { load, save: () => {} };
    return await traceInHistory(query, { ...this.#dependencies(caller), traces, newTraceId });
  }

  /** @throws ObserverError see `HistoryQueries` */
  async search(
    query: SearchQuery,
    caller: Caller,
    redactShown: RedactLarge,
    askReadable: AskReadable | null = null,
  ): Promise<HistorySearch> {
    const newSearchId = (): string => `search_${caller.newId()}`;
    const searches = this.#tracesOf(caller);
    // A search shows payload.
    const asking = this.#begin({ ...caller, view: caller.view.withData });
    return await this.#savingState(
      async () =>
        await searchInHistory(query, { ...asking, searches, newSearchId, redactShown, askReadable }),
    );
  }

  /** The state of an incomplete trace or search is written before its answer. */
  async #savingState<Answer extends HistoryTrace | HistorySearch>(
    ask: () => Promise<Answer>,
  ): Promise<Answer> {
    let isComplete = false;
    try {
      const answer = await ask();
      isComplete = answer.coverage.complete;
      return answer;
    } finally {
      if (!isComplete) this.#states.write();
    }
  }

  /** @param read called for the first caller in a minute @throws ObserverError see `HistoryQueries` */
  async failures(
    query: FailureQuery,
    caller: Caller,
    read: () => Promise<KnownWorkflows>,
  ): Promise<HistoryFailures> {
    // The API key may lack the scope for workflows; the history still says much.
    const published = async (): Promise<KnownWorkflows | null> =>
      await orElse(
        async () => await this.publishedWorkflows(caller.sources.clock.now(), read),
        () => null,
      );
    return await failuresInHistory(query, { ...this.#begin(caller), published });
  }

  /** @throws ObserverError see `HistoryQueries` */
  async query(query: ExecutionQuery, caller: Caller): Promise<QueriedExecutions> {
    return await queryHistory(query, this.#begin(caller));
  }

  /**
   * @param now epoch ms
   * @param look reads the execution as the view shows it, for the first caller with this view in a minute
   * @throws ObserverError see `HistoryQueries`
   */
  async lookCloser(
    executionId: string,
    view: View,
    now: number,
    look: () => Promise<CloserLook>,
    waitingSince = "",
  ): Promise<CloserLook> {
    const { epoch } = this.store.listed;
    const key = this.#lookKey(executionId, view) + waitingSince;
    return await this.#closerLooks.get(key, now, async () => {
      const seen = await look();
      if (seen.retrySuccessId !== null && epoch === this.store.listed.epoch)
        this.store.rows.noteRetried(executionId, seen.retrySuccessId);
      // An observation is no judgement: the execution is explained again for its words.
      const isJudged = seen.observed === null && waitingSince === "" && epoch === this.store.listed.epoch;
      if (view.ids === null && isJudged) this.store.rows.judgeFirst(executionId, seen.reason !== null);
      return seen;
    });
  }

  /** Cached explanations of these executions, by execution id. @param now epoch ms */
  knownLooks(executionIds: readonly string[], view: View, now: number): ReadonlyMap<string, CloserLook> {
    const known = executionIds.flatMap((id) => {
      const look = this.#closerLooks.known(this.#lookKey(id, view), now);
      return look === undefined ? [] : [[id, look] as const];
    });
    return new Map(known);
  }

  /** In another epoch, the id may belong to another execution. */
  #lookKey(executionId: string, view: View): string {
    return `${executionId} ${this.store.listed.epoch} ${digestOf(view)}`;
  }

  /** Stored for all callers, so it is accepted only from one who sees everything that it rests on. */
  judge(executionId: string, view: View, isWrong: boolean): void {
    if (view.ids === null) this.store.rows.judge(executionId, isWrong);
  }

  familyOf(executionId: string, view: View): readonly TracedExecution[] {
    const { requests, executions } = this.store.visibleTo(view);
    if (view.ids !== null && executions.withIds([executionId]).length === 0) return [];
    return executions.onlyVisible(requests.family([executionId]).executions);
  }

  /** What `publishedWorkflows` would return at once; undefined if it would have to wait. @param now epoch ms */
  knownPublishedWorkflows(now: number): KnownWorkflows | undefined {
    return this.#workflows.known(now);
  }

  /** @param read called for the first caller in a minute @throws what `read` throws */
  async publishedWorkflows(now: number, read: () => Promise<KnownWorkflows>): Promise<KnownWorkflows> {
    return await this.#workflows.get(now, read);
  }

  /**
   * All workflows, published or not, for access rules. A read that takes longer than a call can wait continues for the
   * next one. @param read called for the first caller in a minute @throws ObserverError also `N8N_TIMEOUT`
   */
  async allWorkflows(now: number, read: () => Promise<KnownWorkflows>): Promise<KnownWorkflows> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(workflowsLate()), MAX_WORKFLOWS_WAIT_MS);
    try {
      return await Promise.race([this.#allWorkflows.get(now, read), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  callsOf(workflowId: string, view: View): readonly RanCall[] {
    return callsOfWorkflow(this.store.visibleTo(view).sql, workflowId);
  }

  /** @param settings of the background sync; null if it is off @param now epoch ms */
  async status(
    capabilities: KnownCapabilities,
    view: View,
    settings: BackgroundSettings | null,
    now: number,
  ): Promise<HistoryStatus> {
    const { lastFailure, isFull, stretches } = this.store;
    const { counts, queue, isWhole } = this.store.visibleTo(view);
    const { floor, ...known } = await this.#known(capabilities);
    const bounds = settings && { ...settings, maxExecutions: roomFor(settings.maxExecutions, stretches) };
    const left = bounds && executionsLeft(await this.report(capabilities, true), bounds, now);
    return {
      ...known,
      background: settings === null ? "off" : left === 0 ? "new" : "back",
      queue,
      executions: counts.all,
      // It is the start of an execution that may belong to any workflow.
      knownSince: isWhole ? (floor?.startedAt ?? null) : null,
      isFull,
      failure: lastFailure?.isOver === false ? lastFailure.code : null,
    };
  }

  /** For the operator. @param isBrief omits counts that read all rows */
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

  async step(sources: ScanSources, settings: BackgroundSettings): Promise<BackgroundResult> {
    const forgotten = this.tidy(sources.clock.now(), settings.maxExecutions);
    const isTooFull = forgotten > 0 && this.store.counts.all > settings.maxExecutions;
    this.#applyLimits(sources);
    const result = await this.#background.step(sources, settings);
    return isTooFull ? { ...result, nextMs: Math.min(NEXT_STEP_MS, result.nextMs) } : result;
  }

  /** Deletes expired states and some excess executions. @param now epoch ms @returns how many executions */
  tidy(now: number, maxExecutions: number): number {
    this.#states.prune(now);
    // During a scan this would remove what the scan has just read.
    return this.scans.isBusy ? 0 : this.store.makeRoom(maxExecutions);
  }

  #begin(caller: Caller) {
    this.#applyLimits(caller.sources);
    return this.#dependencies(caller);
  }

  #dependencies({ sources, progress, disconnected, view, thread }: Caller) {
    return {
      store: this.store,
      known: this.store.visibleTo(view),
      scans: this.scans,
      sources,
      progress,
      disconnected,
      thread: thread ?? { isShared: false, giveWay: async () => await sources.clock.sleep(0) },
    };
  }

  #applyLimits({ terms }: ScanSources): void {
    this.store.termRules = terms.rulesDigest;
    // During a scan this would remove what the scan has just read.
    if (!this.scans.isBusy) this.store.keepSize();
  }

  #tracesOf({ userId, sources }: Caller): OwnTraces {
    return this.#states.of(userId, sources.clock);
  }
}

const workflowsLate = (): ObserverError =>
  new ObserverError("N8N_TIMEOUT", "n8n's list of workflows, which access rules need, takes long to read.", {
    timeoutMs: MAX_WORKFLOWS_WAIT_MS,
    retryAfter: 10,
    solution:
      "It is still being read: call again in 10 seconds. The operator can give workflows by ids in ACCESS_RULES, which needs no list.",
  });
