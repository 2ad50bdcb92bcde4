/** The queries that the history of one n8n answers, wherever it is stored. */
import type { CloserLook } from "../executions/closer-look.ts";
import type { UnsavedWorkflows } from "../n8n/unsaved-workflows.ts";
import type { FailureQuery, HistoryFailures } from "./digest/failure-query.ts";
import type { RedactLarge } from "./payload/payload-items.ts";
import type { ExecutionQuery, QueriedExecutions } from "./query/execution-query.ts";
import type { QueueFacts } from "./report/index-report.ts";
import type { ReportProgress } from "./scan/stop-facts.ts";
import type { HistorySearch, SearchQuery } from "./search/search-query.ts";
import type { TracedExecution } from "./store/traced-execution.ts";
import type { RanCall } from "./store/workflow-calls.ts";
import type { HistoryTrace, TraceQuery } from "./trace/history-trace.ts";

export interface HistoryStatus {
  /** How many executions are known, deleted ones included. */
  readonly executions: number;
  /** When everything new was last looked at, ISO 8601; null before the first look. */
  readonly syncedAt: string | null;
  /** Everything is known back to this start, ISO 8601; null while nothing is known as a whole. */
  readonly knownSince: string | null;
  /** True when n8n has nothing older. */
  readonly isWhole: boolean;
  /** True when there is no room for older ones. */
  readonly isFull: boolean;
  /** Why n8n could not be asked when it was looked at last; null when it could. */
  readonly failure: string | null;
  /** What waits to begin in n8n; null when nothing does. */
  readonly queue: QueueFacts | null;
}

export interface HistoryQueries {
  status(): Promise<HistoryStatus>;
  /** @throws ObserverError `TRACE_NOT_FOUND`, `VALIDATION_ERROR`, or an `N8N_…` code when n8n failed before anything was found */
  trace(query: TraceQuery, progress: ReportProgress): Promise<HistoryTrace>;
  /** @param redactShown redacts what a hit shows, as the answer will @throws ObserverError as `trace` */
  search(query: SearchQuery, progress: ReportProgress, redactShown: RedactLarge): Promise<HistorySearch>;
  /** @throws ObserverError an `N8N_…` code when n8n failed before anything was known */
  failures(query: FailureQuery, progress: ReportProgress): Promise<HistoryFailures>;
  /** @throws ObserverError as `failures`; `VALIDATION_ERROR` for too many groups */
  query(query: ExecutionQuery, progress: ReportProgress): Promise<QueriedExecutions>;
  /**
   * Why an execution failed, or what is wrong in its success. Read once a minute, for all who see the same.
   * @throws ObserverError `EXECUTION_NOT_FOUND`, or an `N8N_…` code
   */
  lookCloser(executionId: string): Promise<CloserLook>;
  /** Notes whether a success is wrong all the same, so that nobody has to look again. */
  judge(executionId: string, isWrong: boolean): Promise<void>;
  /** The executions that n8n links to this one, as far as the index knows them. Asks n8n nothing. */
  familyOf(executionId: string): Promise<readonly TracedExecution[]>;
  /** Calls of a workflow and by it, as they ran, most frequent first. Asks n8n nothing. */
  callsOf(workflowId: string): Promise<readonly RanCall[]>;
  /** Published workflows that n8n does not save, as they were within the last minute; null when n8n fails. */
  unsavedWorkflows(): Promise<UnsavedWorkflows | null>;
}
