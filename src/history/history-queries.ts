/** What may be asked of the history of one n8n, from wherever it is kept. */
import type { ObserverError } from "../platform/errors.ts";
import type { RedactLarge } from "./payload-search.ts";
import type { HistorySearch, SearchQuery } from "./search-query.ts";
import type { HistoryTrace, ReportProgress, TraceQuery } from "./trace-query.ts";

/** An error as plain data, which gets from one isolate to another whole. */
export type ErrorFacts = Pick<ObserverError, "code" | "message" | "details">;

export const errorFacts = ({ code, message, details }: ErrorFacts): ErrorFacts => ({
  code,
  message,
  details,
});

export interface HistoryQueries {
  /** @throws ObserverError `TRACE_NOT_FOUND`, `VALIDATION_ERROR`, or an `N8N_…` code when n8n failed before anything was found */
  trace(query: TraceQuery, progress: ReportProgress): Promise<HistoryTrace>;
  /**
   * @param redactShown redacts what a hit shows, as the answer will
   * @throws ObserverError as `trace`
   */
  search(query: SearchQuery, progress: ReportProgress, redactShown: RedactLarge): Promise<HistorySearch>;
}
