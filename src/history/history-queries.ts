/** The queries that the history of one n8n answers, wherever it is stored. */
import type { CloserLook } from "../executions/closer-look.ts";
import type { UnsavedWorkflows } from "../n8n/unsaved-workflows.ts";
import type { FailureQuery, HistoryFailures } from "./digest/failure-query.ts";
import type { RedactLarge } from "./payload/payload-items.ts";
import type { ExecutionQuery, QueriedExecutions } from "./query/execution-query.ts";
import type { HistoryReport } from "./report/index-report.ts";
import type { ReportProgress } from "./scan/stop-facts.ts";
import type { HistorySearch, SearchQuery } from "./search/search-query.ts";
import type { TracedExecution } from "./store/traced-execution.ts";
import type { RanCall } from "./store/workflow-calls.ts";
import type { HistoryTrace, TraceQuery } from "./trace/history-trace.ts";

export interface HistoryStatus
  extends Readonly<Pick<HistoryReport, "syncedAt" | "isWhole" | "isFull" | "queue">> {
  /** How many executions are known, including deleted ones. */
  readonly executions: number;
  /** ISO 8601 start from which everything is known; null while no range is completely known. */
  readonly knownSince: string | null;
  /** What the background sync still does: it reads further back, reads only what is new, or is off. */
  readonly background: "back" | "new" | "off";
  /** Why n8n failed at the last look; null if it answered. */
  readonly failure: string | null;
}

export interface HistoryQueries {
  status(): Promise<HistoryStatus>;
  /** @throws ObserverError `TRACE_NOT_FOUND`, `VALIDATION_ERROR`, or an `N8N_…` code if n8n failed before a result */
  trace(query: TraceQuery, progress: ReportProgress): Promise<HistoryTrace>;
  /** @param redactShown redacts excerpts like the answer @throws ObserverError as `trace` */
  search(query: SearchQuery, progress: ReportProgress, redactShown: RedactLarge): Promise<HistorySearch>;
  /** @throws ObserverError an `N8N_…` code if n8n failed before anything was known */
  failures(query: FailureQuery, progress: ReportProgress): Promise<HistoryFailures>;
  /** @throws ObserverError as `failures`; `VALIDATION_ERROR` for too many groups */
  query(query: ExecutionQuery, progress: ReportProgress): Promise<QueriedExecutions>;
  /**
   * Why an execution failed or waits, or what is wrong in its success. Read once a minute for all callers with the same
   * view.
   * @param waitingSince when it was put to wait, if it waits: an answer about a wait is of no use after it
   * @throws ObserverError `EXECUTION_NOT_FOUND`, or an `N8N_…` code
   */
  lookCloser(executionId: string, waitingSince?: string): Promise<CloserLook>;
  /** Records whether a success is wrong nevertheless, so that nobody has to look again. */
  judge(executionId: string, isWrong: boolean): Promise<void>;
  /** The executions that n8n links to this one, as far as known. Sends no request to n8n. */
  familyOf(executionId: string): Promise<readonly TracedExecution[]>;
  /** Calls of a workflow and by it, as they ran, most frequent first. Sends no request to n8n. */
  callsOf(workflowId: string): Promise<readonly RanCall[]>;
  /** Published workflows that n8n does not save, at most a minute old; null if n8n fails. */
  unsavedWorkflows(): Promise<UnsavedWorkflows | null>;
}
