/**
 * The facts of an execution that are kept after n8n has deleted it: what failed and with what kind of error, how much
 * ran, what its agents used. They contain no payload: only numbers, values of our own tables, a keyed digest, and the
 * name of the failing node.
 */
import * as z from "zod";
import type { ModelUse, WalkedOutcome } from "../n8n/execution-outcome.ts";
import type { ExecutionStatus, NodeError } from "../n8n/schemas.ts";
import { callsWorkflow } from "../n8n/workflow-callers.ts";
import { keptName } from "../platform/display-name.ts";
import { type ErrorFacts, OTHER, toErrorFacts, WORKER_DIED } from "./error-sentence.ts";
import { normalizeErrorText } from "./error-text.ts";
import { failedPlaceIn } from "./failed-place.ts";
import { isFailedStatus } from "./node-runs.ts";

/** Why facts may be missing, most severe first. */
export const INCOMPLETE_REASONS = [
  /** n8n fails to return it, or its form is unknown. */
  "unreadable",
  /** n8n has removed its data, by a redaction policy. */
  "withheld",
  /** It is above n8n's display limit. */
  "too_large",
  /** It ended, and n8n kept no data of its runs. */
  "not_saved",
  /** Parts of it were too large or too many to be read. */
  "partial",
] as const;
export type IncompleteReason = (typeof INCOMPLETE_REASONS)[number];

const count = z.int().nonnegative();

export const executionFacts = z.object({
  /** The node that ended a failed execution; null if n8n does not say. */
  failingNode: z.string().nullable(),
  /** 1 if that node calls workflows, 0 if it cannot; null if neither is known. */
  failedAtCall: z.literal([0, 1]).nullable(),
  /** For a failed or canceled execution: the error's class if `error-facts` has it, otherwise `other`. */
  errorClass: z.string().nullable(),
  httpStatus: z.int().min(100).max(599).nullable(),
  /** Identical for errors of one kind: 128 bits, base64url. */
  errorFingerprint: z.string().nullable(),
  /** Identical for errors of requests to the same host: 60 bits, base64url. */
  errorHost: z.string().nullable(),
  nodes: count,
  runs: count,
  items: count,
  /** Runs whose error did not end the execution: it was caught (`onError`), or an agent's tool failed. */
  handledErrors: count,
  llmCalls: count,
  toolCalls: count,
  /** As the models' providers counted. */
  promptTokens: count,
  completionTokens: count,
  /** n8n's estimate, if the provider did not count. */
  estimatedPromptTokens: count,
  estimatedCompletionTokens: count,
  /** The first eight characters of the id of the workflow version that ran: enough to tell its versions apart. */
  version: z.string().nullable(),
  incomplete: z.enum(INCOMPLETE_REASONS).nullable(),
});
/** Plus the models that were called, which are stored in rows of their own. */
export type ExecutionFacts = z.infer<typeof executionFacts> & { readonly models?: readonly ModelUse[] };

export interface FactsContext {
  readonly status: ExecutionStatus;
  readonly hasEnded: boolean;
  readonly isWithheld: boolean;
  readonly isTooLarge: boolean;
  readonly isPartial: boolean;
}

/** Keyed, so that readers cannot find the text by trying candidates. */
export type Digest = (text: string) => string;

const VERSION_LENGTH = 8;
const HOST_LENGTH = 10;

export function toExecutionFacts(
  outcome: WalkedOutcome,
  context: FactsContext,
  digest: Digest,
): ExecutionFacts {
  const { nodes, runs, items, llmCalls, toolCalls, tokens, estimatedTokens, models } = outcome;
  return {
    ...failureFacts(outcome, context, digest),
    nodes,
    runs,
    items,
    handledErrors: handledErrors(outcome, context),
    llmCalls,
    toolCalls,
    promptTokens: tokens.prompt,
    completionTokens: tokens.completion,
    estimatedPromptTokens: estimatedTokens.prompt,
    estimatedCompletionTokens: estimatedTokens.completion,
    version: outcome.versionId?.slice(0, VERSION_LENGTH) ?? null,
    incomplete: incompleteReason(outcome, context),
    ...(models.length === 0 ? {} : { models }),
  };
}

/** The class that n8n 1.x gave all canceled executions; here only those that a person may have stopped: no failures. */
const CANCELED = "ExecutionCancelledError";

const NO_FAILURE = {
  failingNode: null,
  failedAtCall: null,
  errorClass: null,
  httpStatus: null,
  errorFingerprint: null,
  errorHost: null,
};

function failureFacts(outcome: WalkedOutcome, { status }: FactsContext, digest: Digest) {
  if (status === "canceled") {
    const { name } = toErrorFacts(outcome.error);
    const stopped = outcome.mayBeStopped ? CANCELED : null;
    return { ...NO_FAILURE, errorClass: name === null || name === CANCELED ? stopped : name };
  }
  if (!isFailedStatus(status)) return NO_FAILURE;
  const { nodeTypes } = outcome;
  const { nodeName, error = outcome.redactedError } = failedPlaceIn({
    ...outcome,
    hasNode: (name) => nodeTypes.has(name),
    calls: (name) => callsWorkflow(nodeTypes.get(name)),
  });
  const facts = toErrorFacts(error);
  const host = hostThatFailed(error);
  return {
    failingNode: nodeName === null ? null : keptName(nodeName),
    failedAtCall: isCall(nodeTypes.get(nodeName ?? "")),
    errorClass: facts.name,
    httpStatus: facts.httpCode === null ? null : Number(facts.httpCode),
    errorFingerprint:
      error === undefined ? null : fingerprintOf(error, facts, nodeTypes.get(nodeName ?? "") ?? "", digest),
    errorHost: host === null ? null : digestOfHost(host, digest),
  };
}

/** Null if unknown: an agent may call workflows through its tools, and a community node may call them too. */
function isCall(nodeType: string | undefined): 0 | 1 | null {
  if (callsWorkflow(nodeType)) return 1;
  return nodeType?.startsWith("n8n-nodes-base.") ? 0 : null;
}

/** The digest under which the index stores the host of a request. */
export const digestOfHost = (host: string, digest: Digest): string =>
  digest(`host that failed\n${host}`).slice(0, HOST_LENGTH);

/** Only the host, since the rest of the URL may hold anything; null if no HTTP node failed. */
export function hostThatFailed(error: NodeError | undefined): string | null {
  const uri = error?.context?.request?.uri;
  return uri !== undefined && URL.canParse(uri) ? new URL(uri).host : null;
}

/** Prevents collisions with digests of ids, which have no prefix. */
const PURPOSE = "kind of error\n";

/** Messages of HTTP errors are generic: status, code and description distinguish them. */
function fingerprintOf(error: NodeError, facts: ErrorFacts, nodeType: string, digest: Digest): string {
  const known = [facts.name, facts.type, facts.code, facts.httpCode];
  const unknown = [facts.name === OTHER ? error.name : null, facts.code === OTHER ? error.code : null];
  const texts = [error.message, error.description, ...unknown].map((text) => normalizeErrorText(text ?? ""));
  return digest(PURPOSE + JSON.stringify([nodeType, ...known, ...texts]));
}

/** If the execution failed, its failed runs do not count as handled errors. */
function handledErrors({ caughtRuns, failedRuns }: WalkedOutcome, { status }: FactsContext): number {
  const isEndedByOne = isFailedStatus(status) || status === "canceled";
  return caughtRuns + (isEndedByOne ? 0 : failedRuns);
}

function incompleteReason(
  { runs, error }: WalkedOutcome,
  { hasEnded, isWithheld, isTooLarge, isPartial }: FactsContext,
): IncompleteReason | null {
  if (isWithheld) return "withheld";
  if (isTooLarge) return "too_large";
  if (hasEnded && runs === 0 && error === undefined) return "not_saved";
  return isPartial ? "partial" : null;
}

/** True if n8n dropped all data of the execution, including its input, when its worker died. */
export const hasLostData = ({ errorClass, runs }: ExecutionFacts): boolean =>
  errorClass === WORKER_DIED && runs === 0;
