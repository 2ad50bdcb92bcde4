/**
 * An error of n8n without a word of its own: what of it is known, and a sentence of ours. Its name, type and codes
 * are set by whoever throws it, as its text is, so only values that stand in our tables are told; any other is
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

/** Facts of an error that anyone who may know of it may see. */
export interface ErrorFacts {
  /** Its class, if it is a known one; `other` if not; null when it has none. */
  readonly name: string | null;
  /** `context.type`, or what the node declares as the cause. */
  readonly type: string | null;
  /** Of the system, a library or a database. */
  readonly code: string | null;
  /** Three digits. */
  readonly httpCode: string | null;
  /** Line in a Code node. */
  readonly lineNumber: number | null;
  /** In our words: a clause, and what to look at. */
  readonly meaning: ErrorMeaning;
}

/** In place of a value that is not known. */
export const OTHER = "other";

const HTTP_STATUS = /^[1-5]\d\d$/;
/** Longer code was never seen, and a larger number may be anything. */
const MAX_LINE = 100_000;
const UNKNOWN: ErrorMeaning = {
  says: "the node failed with an error of a kind that is not known here",
  see: "See what it was given.",
};

/** These only say that code failed; what it threw stands in their description. */
const WRAPPERS = new Set(["WrappedExecutionError", "ExecutionError"]);

/** @param fallback for an error that says nothing of its kind */
export function toErrorFacts(error: NodeError | undefined, fallback = UNKNOWN): ErrorFacts {
  const { context, failure, lineNumber = null } = error ?? {};
  const name = nameOf(error);
  const type = known(failure?.cause, ERROR_CAUSES) ?? known(context?.type, ERROR_TYPES);
  // Where a connection failed, n8n keeps the system's code as `httpCode`.
  const code = known(error?.code, ERROR_CODES) ?? known(error?.httpCode, ERROR_CODES);
  const httpCode = [error?.httpCode, error?.code].find((value) => HTTP_STATUS.test(value ?? "")) ?? null;
  const isLine = Number.isInteger(lineNumber) && Number(lineNumber) > 0 && Number(lineNumber) <= MAX_LINE;
  // The most telling first: a cause or type says more than a code, and that more than a class.
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

/** A meaning as a sentence, or two. */
export function sentenceOfMeaning({ says, see }: ErrorMeaning): string {
  const first = says.startsWith("n8n") ? says : `${says.charAt(0).toUpperCase()}${says.slice(1)}`;
  return see === "" ? `${first}.` : `${first}. ${see}`;
}

type Given = string | null | undefined;

const otherIfGiven = (value: Given): string | null => (value == null || value === "" ? null : OTHER);

const known = (value: Given, table: ReadonlyMap<string, ErrorMeaning>): string | null =>
  typeof value === "string" && table.has(value) ? value : null;

/** n8n keeps the class that code threw as the description of what it wraps it in. */
function nameOf(error: NodeError | undefined): string | null {
  const { name, description } = error ?? {};
  if (name !== undefined && WRAPPERS.has(name)) return known(description, ERROR_CLASSES) ?? name;
  return known(name, ERROR_CLASSES) ?? otherIfGiven(name);
}
