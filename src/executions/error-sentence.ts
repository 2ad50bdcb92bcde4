/**
 * Describes an error without any of its own text: its known facts, and a sentence of this server. Like its text, an error's
 * name, type and codes are set by the code that throws it, so only values in our tables are shown; any other is shown as
 * `other`. Pure.
 */
import type { NodeError } from "../n8n/schemas.ts";
import {
  ERROR_CAUSES,
  ERROR_CLASSES,
  ERROR_CODES,
  ERROR_TYPES,
  type ErrorMeaning,
  statusMeaning,
} from "./error-facts.ts";

/** Facts that anyone who may know of the error may see. */
export interface ErrorFacts {
  /** Its class, if it is a known one; `other` if not; null if it has none. */
  readonly name: string | null;
  /** The cause that the node declares, or `context.type`. */
  readonly type: string | null;
  /** A code of the system, a library or a database. */
  readonly code: string | null;
  readonly httpCode: string | null;
  readonly lineNumber: number | null;
  /** In our words: a clause, and advice. */
  readonly meaning: ErrorMeaning;
}

export const OTHER = "other";

/** Leaves out what libraries also write as `code`: most replies of FTP, and most codes of MongoDB. */
const HTTP_STATUS = /^(?:[12]0\d|30\d|4(?!5[02])\d\d|5(?!5)\d\d)$/;
const FTP_NOT_LOGGED_IN = "530";
/** A larger number is hardly a line of code, and could carry any data. */
const MAX_LINE = 100_000;
const UNKNOWN: ErrorMeaning = {
  says: "the node failed with an error of a kind that is not known here",
  see: "See what it was given.",
};

/** These only say that code failed; the thrown class is in their description. */
const WRAPPERS = new Set(["WrappedExecutionError", "ExecutionError"]);

/** @param fallback meaning of an error that does not reveal its kind */
export function toErrorFacts(error: NodeError | undefined, fallback = UNKNOWN): ErrorFacts {
  const { context, failure, lineNumber = null } = error ?? {};
  const name = nameOf(error);
  const type = known(failure?.cause, ERROR_CAUSES) ?? known(context?.type, ERROR_TYPES);
  // If a connection failed, n8n keeps the system's code as `httpCode`.
  const code = known(error?.code, ERROR_CODES) ?? known(error?.httpCode, ERROR_CODES);
  const codes = [error?.httpCode, error?.code === FTP_NOT_LOGGED_IN ? null : error?.code];
  const httpCode = codes.find((value) => HTTP_STATUS.test(value ?? "")) ?? null;
  const isLine = Number.isInteger(lineNumber) && Number(lineNumber) > 0 && Number(lineNumber) <= MAX_LINE;
  // Most informative first: a cause or type says more than a code, a code more than a class.
  const meaning =
    ERROR_CAUSES.get(type ?? "") ??
    ERROR_TYPES.get(type ?? "") ??
    ERROR_CODES.get(code ?? "") ??
    statusMeaning(httpCode ?? "") ??
    ERROR_CLASSES.get(name ?? "");
  return {
    name,
    type: type ?? otherIfGiven(context?.type),
    code: code ?? (error?.code === httpCode ? null : otherIfGiven(error?.code)),
    httpCode,
    lineNumber: isLine ? lineNumber : null,
    meaning: meaning ?? (name === OTHER ? UNKNOWN : fallback),
  };
}

/** Words a meaning as one or two sentences. */
export function sentenceOfMeaning({ says, see }: ErrorMeaning): string {
  const first = says.startsWith("n8n") ? says : `${says.charAt(0).toUpperCase()}${says.slice(1)}`;
  return see === "" ? `${first}.` : `${first}. ${see}`;
}

type Given = string | null | undefined;

const otherIfGiven = (value: Given): string | null => (value == null || value === "" ? null : OTHER);

const known = (value: Given, table: ReadonlyMap<string, ErrorMeaning>): string | null =>
  typeof value === "string" && table.has(value) ? value : null;

/** The class of n8n's error for an execution whose worker died: n8n writes it over all data (seen on 2.40.5 and 2.41.1). */
export const WORKER_DIED = "MaxStalledCountError";
/** n8n keeps the message of that error and no class. */
const STALLED = /^This execution failed to be processed too many times and will no longer retry/;

/** n8n keeps the class that code threw as the description of its wrapper. */
function nameOf(error: NodeError | undefined): string | null {
  const { name, description, message = "" } = error ?? {};
  if (name === undefined && STALLED.test(message)) return WORKER_DIED;
  if (name !== undefined && WRAPPERS.has(name)) return known(description, ERROR_CLASSES) ?? name;
  return known(name, ERROR_CLASSES) ?? otherIfGiven(name);
}
