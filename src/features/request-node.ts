/** One execution in the tree of a request: its role and its outcome. Pure. */
import type { TracedExecution } from "../history/store/traced-execution.ts";
import type { ExecutionStatus } from "../n8n/schemas.ts";
import { isNewer } from "../platform/id-order.ts";

/** Where an execution holds the request id. */
export interface Match {
  /** `exact`: at a known request-id path. `mentioned`: elsewhere. */
  readonly kind: "exact" | "mentioned";
  /** The node whose output holds the id; null for the execution's custom data. */
  readonly nodeName: string | null;
  readonly path: string;
  /** Whether the execution holds other ids at the same place. */
  readonly isOfSeveral?: boolean;
}

export interface TreeParts {
  readonly family: readonly TracedExecution[];
  /** Executions that only mention the id; members of the family are ignored. */
  readonly mentioning: readonly TracedExecution[];
  readonly matches: ReadonlyMap<string, Match>;
  /** The execution whose request was asked for. */
  readonly askedId?: string | undefined;
}

export const ROLES = ["entry", "sub_workflow", "error_handler", "retry", "related"] as const;
export type Role = (typeof ROLES)[number];

/** By importance: failures first. `queued`: accepted, not started. `not_found_yet`: part of the window is unread. */
export const OUTCOMES = [
  "error",
  "running",
  "queued",
  "waiting",
  "unknown",
  "canceled",
  "success",
  "not_found_yet",
  "not_found",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const rankOf = (outcome: Outcome): number => OUTCOMES.indexOf(outcome);

export interface TreeNode
  extends Pick<
    TracedExecution,
    | "id"
    | "workflowId"
    | "workflowName"
    | "status"
    | "startedAt"
    | "stoppedAt"
    | "acceptedAt"
    | "waitTill"
    | "retrySuccessId"
  > {
  readonly role: Role;
  /** The execution that caused this one; null for an entry. */
  readonly parentId: string | null;
  /** Null while it runs. */
  readonly durationMs: number | null;
  readonly match: Match | null;
  /** Why it belongs to the request: n8n's link to the execution `parentId`, or the id itself. */
  readonly evidence: string;
  /** True for a run in n8n's editor or of an evaluation. */
  readonly isTestRun: boolean;
  /** True for a run of a schedule or another trigger that holds several ids, such as a report. */
  readonly holdsSeveralIds: boolean;
  /** True if its caller went on after it, and failed elsewhere. */
  readonly callerContinued: boolean;
}

export const OUTCOME_OF: Record<ExecutionStatus, Outcome> = {
  success: "success",
  error: "error",
  crashed: "error",
  canceled: "canceled",
  waiting: "waiting",
  running: "running",
  new: "queued",
  // It may have ended: `stoppedAt` says whether.
  unknown: "unknown",
};

export const oldestFirst = (a: { readonly id: string }, b: { readonly id: string }): number =>
  isNewer(a.id, b.id) ? 1 : -1;
