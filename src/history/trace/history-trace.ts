/** The request for a trace, and the history's answer. */
import type { QueueFacts } from "../report/index-report.ts";
import type { FoundAs } from "../request-ids/request-forms.ts";
import type { OwnTraces, TraceCall, TraceScope } from "../resuming/trace-state.ts";
import type { Coverage } from "../scan/coverage.ts";
import type { QueryDependencies } from "../scan/query-dependencies.ts";
import type { StopFacts } from "../scan/stop-facts.ts";
import type { RememberedMatch } from "../store/known-requests.ts";
import type { TracedExecution } from "../store/traced-execution.ts";
import type { OtherWorkflow } from "../store/visible-executions.ts";

export interface TraceQuery extends TraceCall {
  readonly limit: number;
  /** The id of a trace that begins; without it, it gets one. */
  readonly newTraceId?: string | undefined;
  /** Longest time for the scan, in milliseconds. */
  readonly timeBudgetMs: number;
  /** False when the caller may see no payload (`trace-target.ts`). */
  readonly mayReadData: boolean;
  /** One of several looks of a call that waits: n8n was asked already whether it is the one that it was. */
  readonly isFurtherLook?: boolean;
}

export interface TraceDependencies extends QueryDependencies {
  readonly traces: OwnTraces;
  readonly newTraceId: () => string;
  /** Called once n8n is being asked what is new, if the request is known and nobody else waits for n8n's lists. */
  readonly onKnown?: ((known: KnownRequest) => void) | undefined;
}

export interface HistoryCoverage extends Coverage {
  /** How many executions were searched for the id beyond the known request-id paths. */
  readonly searchedForMentions: number;
}

export interface HistoryTrace {
  readonly requestId: string;
  readonly traceId: string;
  readonly scope: TraceScope;
  /** Executions that hold the id, or whose id it is: newest first; of too many, those that succeeded last. */
  readonly matches: readonly RememberedMatch[];
  readonly foundAs: FoundAs | null;
  /** Executions that hold the id elsewhere than at a known path. */
  readonly mentions: readonly RememberedMatch[];
  readonly family: readonly TracedExecution[];
  readonly mentioning: readonly TracedExecution[];
  /** Where the request leads into, or comes from, workflows that the caller may not see. */
  readonly otherWorkflows: readonly OtherWorkflow[];
  /** Ids of executions of the family that n8n has deleted since. */
  readonly deleted: readonly string[];
  /** Ids of those that succeeded although something in them failed or is wrong. */
  readonly swallowing: readonly string[];
  /** Ids of successes that nobody has looked at more closely. */
  readonly unjudged: readonly string[];
  /** The execution whose id was asked for, whatever it was found as. */
  readonly requestedExecution: TracedExecution | null;
  readonly coverage: HistoryCoverage;
  /** @see Reach */
  readonly isAtKnownPathsOnly: boolean;
  readonly stop: StopFacts;
  /**
   * What has not begun in this n8n, and how many executions are before each one of the family that has not; null when
   * nothing waits.
   */
  readonly queue: (QueueFacts & { readonly before: Readonly<Record<string, number>> }) | null;
  /** When all that was new was looked at last, ISO 8601; null before. */
  readonly asOf: string | null;
}

/** A request as it was known before n8n was asked what is new. */
export type KnownRequest = Pick<HistoryTrace, "matches" | "family" | "deleted" | "swallowing" | "unjudged">;
