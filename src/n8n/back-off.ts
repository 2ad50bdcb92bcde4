/**
 * Decides what to do when n8n fails: which failures may be temporary, and how long to wait. A wait never exceeds the
 * deadline; if it would, the failure is final.
 */
import type { Clock } from "../platform/clock.ts";
import { counted } from "../platform/counted.ts";
import { type ErrorCode, ObserverError } from "../platform/errors.ts";
import { LEAST_REQUEST_MS, REQUEST_MS } from "../platform/time-limits.ts";
import { UnspecificLimit } from "./n8n-errors.ts";

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
const MAX_TRIES = 3;
/** After the first 429 without `Retry-After`. */
const FIRST_LIMITED_PAUSE_MS = 1_000;

/** Longest time for a request, in milliseconds. @param deadline epoch ms */
export const timeoutOf = (clock: Clock, deadline: number): number =>
  Math.min(REQUEST_MS.usual, Math.max(LEAST_REQUEST_MS, deadline - clock.now()));

/** True for failures that a retry or a smaller page may avoid. */
export function mayPass(error: unknown): error is ObserverError {
  if (!(error instanceof ObserverError)) return false;
  const { code, details } = error;
  if (code === "N8N_BAD_RESPONSE") return details.httpStatus === undefined && details.field === undefined;
  return code === "N8N_UNREACHABLE" || code === "N8N_TIMEOUT" || code === "N8N_RATE_LIMITED";
}

const MET_BY_ALL = new Set<ErrorCode>([
  "N8N_UNAUTHORIZED",
  "N8N_FORBIDDEN",
  "N8N_RATE_LIMITED",
  "RATE_LIMITED",
]);

/** True when every further request would fail in the same way. */
export const isMetByAll = ({ code }: ObserverError): boolean => MET_BY_ALL.has(code);

/** What the retries of a person's request need. */
export interface Retrying {
  readonly clock: Clock;
  /** Called before each wait of a second or more. */
  readonly tell?: ((message: string) => Promise<void>) | undefined;
}

/** True for a transient failure of n8n or of a proxy. A 500 comes from n8n's own code and is likely to recur. */
export const isTransient = (error: unknown): error is ObserverError =>
  error instanceof ObserverError &&
  (error.code === "N8N_RATE_LIMITED" ||
    (error.code === "N8N_UNREACHABLE" && error.details.httpStatus !== 500));

/**
 * Waits as long as n8n asks for, or else twice as long after each failure.
 * @param failures how many have occurred in a row, from 1
 * @throws ObserverError the failure itself when the deadline is nearer
 */
export async function backOff(
  error: ObserverError,
  failures: number,
  { clock, tell }: Retrying,
  deadline: number,
): Promise<void> {
  const { retryAfter } = error.details;
  const longer = 2 ** (failures - 1);
  const milliseconds =
    retryAfter !== undefined && !(error instanceof UnspecificLimit)
      ? retryAfter * 1_000
      : error.code === "N8N_RATE_LIMITED"
        ? FIRST_LIMITED_PAUSE_MS * longer
        : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * longer);
  if (clock.now() + milliseconds >= deadline) throw error;
  if (milliseconds >= FIRST_LIMITED_PAUSE_MS)
    await tell?.(`${error.message} Trying again in ${counted(milliseconds / 1_000, "second")}`);
  await clock.sleep(milliseconds);
}

/**
 * Retries a few times while n8n's failure may be temporary.
 * @param isRetryable which failures are retried
 * @throws ObserverError the last failure
 */
export async function withRetries<Result>(
  ask: () => Promise<Result>,
  trying: Retrying,
  deadline: number,
  isRetryable = mayPass,
): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!isRetryable(error) || failures > MAX_TRIES) throw error;
      await backOff(error, failures, trying, deadline);
    }
  }
}
