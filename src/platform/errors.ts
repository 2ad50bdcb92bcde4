/**
 * The error taxonomy: one class with a code for every expected failure. Only the text of an `ObserverError` reaches a
 * client: its message and solution are written by us and never contain text from another system. Any other error is a
 * bug and becomes `TOOL_EXECUTION_FAILED` with an incident id (see `mcp/call-tool.ts`).
 */

/** The `field` of an error about a caller's own n8n key. */
export const OWN_KEY = "your n8n API key";

export const ERROR_CODES = [
  "VALIDATION_ERROR",
  "TOOL_NOT_FOUND",
  "WORKFLOW_NOT_FOUND",
  "EXECUTION_NOT_FOUND",
  "NODE_NOT_FOUND",
  "TRACE_NOT_FOUND",
  "INSTANCE_NOT_FOUND",
  "CONFIGURATION_ERROR",
  "N8N_UNAUTHORIZED",
  "N8N_FORBIDDEN",
  "N8N_UNREACHABLE",
  "N8N_TIMEOUT",
  "N8N_RATE_LIMITED",
  "N8N_BAD_RESPONSE",
  "INSUFFICIENT_SCOPE",
  "RATE_LIMITED",
  /** A deployment or the like ended the call; its work may or may not be done. */
  "INTERRUPTED",
  "INVALID_TOOL_RESPONSE_STRUCTURE",
  "TOOL_EXECUTION_FAILED",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Details that help the caller. `solution` names the next step. */
export interface ErrorDetails {
  readonly solution: string;
  /** The argument or setting that is wrong. */
  readonly field?: string;
  /** The values that would have been valid. */
  readonly expected?: string;
  /** The nearest names that exist, best first. */
  readonly candidates?: readonly string[];
  /** Seconds after which the same call may go through. */
  readonly retryAfter?: number;
  readonly [key: string]: unknown;
}

export class ObserverError extends Error {
  override readonly name = "ObserverError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** The error of a call that ended early and may be repeated. */
export const interrupted = (message: string, details: Pick<ErrorDetails, "retryAfter"> = {}): ObserverError =>
  new ObserverError("INTERRUPTED", message, { ...details, solution: "Call again." });

/** Whether n8n, or a proxy in front of it, rejected this request as invalid; other requests may succeed. */
export const isBadRequest = (error: unknown): boolean =>
  error instanceof ObserverError && error.details.httpStatus === 400;

/** Whether n8n itself rejected the request, for example for an unknown parameter: it will reject every repetition. */
export const isRefusedByN8n = (error: unknown): boolean =>
  error instanceof ObserverError && error.details.refused !== undefined;

/** Whether the requested thing does not exist in n8n. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof ObserverError && error.code.endsWith("_NOT_FOUND");

/** Returns another value after an expected failure. A bug is rethrown. */
export async function orElse<Value, Instead>(
  attempt: () => Promise<Value>,
  instead: (error: ObserverError) => Instead | Promise<Instead>,
): Promise<Value | Instead> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return await instead(error);
  }
}

/** Returns another value if the requested thing does not exist in n8n. Any other error is rethrown. */
export const orIfNotFound = async <Value, Instead>(attempt: () => Promise<Value>, instead: Instead) =>
  await orElse(attempt, (error): Instead => {
    if (!isNotFound(error)) throw error;
    return instead;
  });

/** Like `orElse`, but synchronous. */
export function unlessFailed<Value, Otherwise>(
  read: () => Value,
  otherwise: (error: ObserverError) => Otherwise,
): Value | Otherwise {
  try {
    return read();
  } catch (error) {
    if (error instanceof ObserverError) return otherwise(error);
    throw error;
  }
}

/** Returns `fallback` after an expected failure. A bug is rethrown. */
export const readOr = <Value, Fallback>(read: () => Value, fallback: Fallback): Value | Fallback =>
  unlessFailed(read, () => fallback);

const MAX_FRAMES = 8;

/** A bug's kind and place, for a log. The message is left out, also of the stack: it may quote a payload or request. */
export function describeBug(error: unknown): { readonly name: string; readonly frames: readonly string[] } {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] };
  const { stack = "", message, name } = error;
  // The stack begins with the message.
  const places = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : "";
  const frames = places.split("\n").filter((line) => /^\s+at /.test(line));
  return { name, frames: frames.slice(0, MAX_FRAMES) };
}
