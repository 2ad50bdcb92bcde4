/**
 * Why an execution failed: the node, and the known facts of its error. The error's own text comes from another system
 * or a person, so it is payload; only `ownTextOf` and `textOf` return it. Pure.
 */
import type { ExecutionWithData, NodeError } from "../n8n/schemas.ts";
import { ERROR_CLASSES, type ErrorMeaning } from "./error-facts.ts";
import { type ErrorFacts, sentenceOfMeaning, toErrorFacts } from "./error-sentence.ts";
import { failedPlaceOf } from "./failed-place.ts";
import { isFailedStatus } from "./node-runs.ts";
import { isWithheldByN8n } from "./withheld.ts";

const WITHHELD = "n8n withholds its error message (redaction policy).";

/** Holds no text written by the code that threw the error. */
export interface Failure extends Omit<ErrorFacts, "meaning"> {
  /** The node that failed; null if n8n does not say (a crash, a failure before the first node). */
  readonly nodeName: string | null;
  readonly message: string;
  readonly hasOwnText: boolean;
}

/** An error's own text, unchanged: payload. Excludes the stack, which names files of the server. */
export interface OwnText {
  readonly message: string;
  readonly description?: string;
}

/** @param fallback meaning of an error that does not reveal its kind */
export function toFailure(
  nodeName: string | null,
  error: NodeError | undefined,
  fallback?: ErrorMeaning,
): Failure {
  const { meaning, ...facts } = toErrorFacts(error, fallback);
  return { nodeName, message: sentenceOfMeaning(meaning), ...facts, hasOwnText: textOf(error) !== null };
}

export function textOf(error: NodeError | undefined): OwnText | null {
  const message = error?.message ?? "";
  const description = error?.description ?? "";
  if (message === "" && description === "") return null;
  return { message, ...(description === "" || description === message ? {} : { description }) };
}

/** Null unless the execution failed. Handled failures of nodes do not count. */
export function failureOf(execution: ExecutionWithData): Failure | null {
  if (!isFailedStatus(execution.status)) return null;
  const { nodeName, error } = failedPlaceOf(execution);
  if (error !== undefined || !isWithheldByN8n(execution))
    return toFailure(nodeName, error, withoutError(execution));
  const failure = toFailure(nodeName, redactedErrorOf(execution), withoutError(execution));
  return { ...failure, message: `${failure.message} ${WITHHELD}` };
}

/** The text of the error that `failureOf` reports; null if there is none. */
export const ownTextOf = (execution: ExecutionWithData): OwnText | null =>
  isFailedStatus(execution.status) ? textOf(failedPlaceOf(execution).error) : null;

function redactedErrorOf(execution: ExecutionWithData): NodeError | undefined {
  const redacted = execution.data?.resultData?.redactedError;
  return redacted === undefined ? undefined : { name: redacted.type, httpCode: redacted.httpCode ?? null };
}

const NO_ERROR_KEPT: ErrorMeaning = {
  says: "a node failed, and n8n does not say with what kind of error",
  see: "See what the node was given.",
};

/** The meaning of a failed execution whose error n8n did not keep. */
const withoutError = ({ status }: ExecutionWithData): ErrorMeaning =>
  (status === "crashed" ? ERROR_CLASSES.get("WorkflowCrashedError") : undefined) ?? NO_ERROR_KEPT;
