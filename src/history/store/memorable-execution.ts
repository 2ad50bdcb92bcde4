/** The facts about an execution that are stored. No payload. */
import type { ExecutionFacts } from "../../executions/execution-facts.ts";
import type { Scope } from "./known-stretches.ts";
import type { Stretch } from "./stretches.ts";
import type { TracedExecution } from "./traced-execution.ts";

/** Maximum calls of one execution that are stored: thirty times what a trace shows. */
export const MAX_SUB_EXECUTIONS = 10_000;

/**
 * Why an execution is known only in part because of its payload. Anyone who posts to n8n controls that, so it does not
 * spoil coverage, unless nothing of the execution is known: it may then contain any id until n8n deletes it.
 */
export const KNOWN_IN_PART = {
  beyondReading:
    "parts of it are too large or too deep to read, or it has too many ids: what they contain is not known",
  tooLarge:
    "its data is too large for n8n to display (EXECUTIONS_DATA_MAX_DISPLAY_SIZE): it may contain the id",
  manyCalls: `it called more than ${MAX_SUB_EXECUTIONS} executions, of which the index keeps the first`,
} as const;

/** Prefix of the problem of a running execution that was never read. */
export const RUNS = "it runs, and ";
/** Its problem until a look has read it. */
export const RUNS_UNREAD = `${RUNS}was not read yet`;

/** For SQL: the JSON list of these reasons. */
export const KNOWN_IN_PART_LIST = JSON.stringify(Object.values(KNOWN_IN_PART));

/** True if an execution with this problem makes the coverage of its window incomplete. */
export const spoilsCoverage = (problem: string): boolean => problem === KNOWN_IN_PART.tooLarge;

export interface MemorableExecution {
  readonly execution: TracedExecution;
  readonly correlations: readonly CorrelationPlace[];
  /** A filter of the ids without a row (`terms/id-filter.ts`); null when there are none. */
  readonly otherIds: string | null;
  /** Why it could not be read, or only in part; null if all of it was read. */
  readonly problem: string | null;
  readonly facts: ExecutionFacts | null;
  readonly termFilter: Uint8Array | null;
}

export interface CorrelationPlace {
  readonly digest: string;
  /** True if only a caller with `n8n:data` may find the execution by this id. */
  readonly needsData: boolean;
  /** Null for the execution's custom data. */
  readonly nodeName: string | null;
  readonly path: string;
}

export interface Checkpoint {
  readonly executions: readonly MemorableExecution[];
  /** `askedAt`: epoch ms of the request; rows stored later are newer. */
  readonly deleted: readonly { readonly id: string; readonly askedAt: number }[];
  readonly empty: readonly string[];
  /** Stretches in which every execution is known once this is stored. */
  readonly claims: readonly { readonly scope: Scope; readonly stretch: Stretch }[];
  /** The epoch in which known executions were skipped. */
  readonly epoch: number;
}
