/**
 * The history of one n8n, with everything that is asked of it. The one writer of what is known; all users share it, but
 * for where their own traces and searches stand.
 *
 * Knows nothing of Durable Objects: any SQLite will do, and any clock.
 */
import type { Sql } from "../platform/sql.ts";
import { ExecutionStore } from "./execution-store.ts";
import type { Redact } from "./payload-search.ts";
import { type HistorySearch, type SearchQuery, searchInHistory } from "./search-query.ts";
import { type ScanSources, SharedScans } from "./shared-scans.ts";
import {
  type HistoryTrace,
  type OwnTraces,
  type ReportProgress,
  type TraceQuery,
  traceInHistory,
} from "./trace-query.ts";
import { traceState } from "./trace-state.ts";
import { TraceStates } from "./trace-states.ts";

/** Who asks, and what is read with for them. */
export interface Caller {
  readonly userId: string;
  readonly sources: ScanSources;
  /** For what a search shows. */
  readonly redact: Redact;
  readonly newId: () => string;
  readonly progress: ReportProgress;
}

export class InstanceHistory {
  readonly store: ExecutionStore;
  readonly scans: SharedScans;
  readonly #states: TraceStates;

  constructor(sql: Sql) {
    this.store = new ExecutionStore(sql);
    this.scans = new SharedScans(this.store);
    this.#states = new TraceStates(sql);
  }

  /** @throws ObserverError see `HistoryQueries` */
  async trace(query: TraceQuery, caller: Caller): Promise<HistoryTrace> {
    const { store, scans } = this;
    const { sources, progress, newId } = caller;
    const newTraceId = (): string => `trace_${newId()}`;
    const traces = this.#tracesOf(caller);
    return await traceInHistory(query, { store, scans, sources, traces, newTraceId, progress });
  }

  /** @throws ObserverError see `HistoryQueries` */
  async search(query: SearchQuery, caller: Caller): Promise<HistorySearch> {
    const { store, scans } = this;
    const { sources, redact, progress, newId } = caller;
    const newSearchId = (): string => `search_${newId()}`;
    const searches = this.#tracesOf(caller);
    return await searchInHistory(query, { store, scans, sources, searches, newSearchId, redact, progress });
  }

  /** Forgets what has expired. @param now epoch ms */
  prune(now: number): void {
    this.#states.prune(now);
  }

  #tracesOf({ userId, sources }: Caller): OwnTraces {
    const { now } = sources.clock;
    return {
      load: (traceId) => {
        const text = this.#states.load(userId, traceId, now());
        // A state of another shape is none.
        return text === null ? null : (traceState.safeParse(JSON.parse(text)).data ?? null);
      },
      save: (traceId, state) => this.#states.save(userId, traceId, JSON.stringify(state), now()),
    };
  }
}
