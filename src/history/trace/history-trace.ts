/** The query for a trace, and the history's answer. */
import type { QueueFacts } from "../report/index-report.ts";
import type { FoundAs } from "../request-ids/request-forms.ts";
import type { OwnTraces, TraceCall, TraceScope } from "../resuming/trace-state.ts";
import type { Coverage } from "../scan/coverage.ts";
import type { QueryDependencies } from "../scan/query-dependencies.ts";
import type { StopFacts } from "../scan/stop-facts.ts";
import type { KnownFamily, RememberedMatch } from "../store/known-requests.ts";
import type { TracedExecution } from "../store/traced-execution.ts";
import type { OtherWorkflow } from "../store/visible-executions.ts";

export interface TraceQuery extends TraceCall {
  readonly limit: number;
  /** The id for a new trace; generated if missing. */
  readonly newTraceId?: string | undefined;
  /** Maximum time for the scan, in milliseconds. */
  readonly timeBudgetMs: number;
  /** False if the caller may not see payload (`trace-target.ts`). */
  readonly mayReadData: boolean;
  /** A later look of a call that waits: the first look has checked that it is still the same n8n. */
  readonly isFurtherLook?: boolean;
}

export interface TraceDependencies extends QueryDependencies {
  readonly traces: OwnTraces;
  readonly newTraceId: () => string;
  /** Called once the requests for new executions are sent, if the request is known and no other caller waits. */
  readonly onKnown?: ((known: KnownRequest) => void) | undefined;
}

export interface HistoryCoverage extends Coverage {
  /** How many executions were searched for the id beyond the known request-id paths. */
  readonly searchedForMentions: number;
}

export interface HistoryTrace extends Pick<KnownFamily, "deleted" | "swallowing" | "unjudged"> {
  readonly requestId: string;
  readonly traceId: string;
  readonly scope: TraceScope;
  /** The end of the window, ISO 8601, if it is past; else null. */
  readonly endsAt: string | null;
  /** Executions that hold the id, or have it: newest first; if there are too many, successes last. */
  readonly matches: readonly RememberedMatch[];
  readonly foundAs: FoundAs | null;
  /** Executions that hold the id at an unknown path. */
  readonly mentions: readonly RememberedMatch[];
  readonly family: readonly TracedExecution[];
  readonly mentioning: readonly TracedExecution[];
  /** Where the request leads to, or comes from, workflows that the caller may not see. */
  readonly otherWorkflows: readonly OtherWorkflow[];
  /** The execution with the requested id, whatever the id was found as. */
  readonly requestedExecution: TracedExecution | null;
  readonly coverage: HistoryCoverage;
  /** @see Reach */
  readonly isAtKnownPathsOnly: boolean;
  readonly stop: StopFacts;
  /** The executions that have not begun, and the position of each one of the family; null when nothing is queued. */
  readonly queue: (QueueFacts & { readonly before: Readonly<Record<string, number>> }) | null;
  /** ISO 8601 of the last complete look for new executions; null before the first one. */
  readonly asOf: string | null;
}

/** A request as it was known before n8n was asked for new executions. */
export type KnownRequest = Pick<HistoryTrace, "matches" | "family" | "deleted" | "swallowing" | "unjudged">;
