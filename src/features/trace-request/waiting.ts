/**
 * Waits for a request that has not arrived or has not ended: polls at growing intervals until all its executions have
 * ended, or time runs out.
 *
 * Promises: between polls it occupies no slot of n8n's limiter, no part of the index, and none of the user's concurrent
 * calls. Polls happen on full seconds, so that n8n is asked at most once a second, however many wait (`SharedScans`).
 */
import type { HistoryQueries } from "../../history/history-queries.ts";
import type { ReportProgress } from "../../history/scan/stop-facts.ts";
import { hasEnded, type TracedExecution } from "../../history/store/traced-execution.ts";
import type { HistoryTrace, TraceQuery } from "../../history/trace/history-trace.ts";
import type { Clock } from "../../platform/clock.ts";
import { counted } from "../../platform/counted.ts";
import { TIME_BUDGET_MS } from "../../platform/time-limits.ts";

/** Minimum times between polls; the last one repeats. */
const STEPS_MS = [2_000, 2_000, 2_000, 4_000, 4_000, 8_000];

/** Shared by n8n instances that wait for one request: once it arrives in one, the others stop waiting. */
interface SharedWait {
  isFound: boolean;
}

export interface WaitDependencies {
  readonly history: HistoryQueries;
  readonly progress: ReportProgress;
  /** If absent, the call does not wait. */
  readonly wait?: {
    /** Maximum time, including the first poll. */
    readonly waitMs: number;
    readonly clock: Pick<Clock, "now">;
    /** Sleeps without occupying a call's place. */
    readonly pause: (milliseconds: number) => Promise<void>;
    readonly shared: SharedWait;
  };
}

interface WaitedTrace {
  readonly found: HistoryTrace;
  readonly waitedMs: number;
  readonly waitedFor: "nothing" | "coming" | "end";
}

/** @throws ObserverError as `HistoryQueries.trace` */
export async function traceWaiting(
  query: TraceQuery,
  { history, progress, wait }: WaitDependencies,
): Promise<WaitedTrace> {
  if (wait === undefined)
    return { found: await history.trace(query, progress), waitedFor: "nothing", waitedMs: 0 };
  const { waitMs, clock, shared } = wait;
  const begun = clock.now();
  const deadline = begun + waitMs;
  let polledAt = begun;
  let found = await history.trace(query, progress);
  let waitedFor: WaitedTrace["waitedFor"] = "nothing";
  let wasFound = false;
  let missedPolls = 0;
  for (let poll = 0; ; poll += 1) {
    const isFound = found.matches.length > 0;
    // An execution id in one n8n says nothing about a request in another.
    if (isFound && found.foundAs !== "executionId") shared.isFound = true;
    wasFound ||= isFound;
    // An execution that is just ending may be missing from all of n8n's lists for a moment.
    missedPolls = isFound ? 0 : missedPolls + 1;
    if (wasFound && missedPolls > 1) break;
    const missing = stillMissing(found);
    const pause = untilNextPoll(clock.now(), poll);
    if (missing === null || (!wasFound && shared.isFound) || clock.now() + pause > deadline) break;
    // If n8n is slow, the next poll takes as long as the last one.
    if (2 * clock.now() - polledAt + pause > begun + TIME_BUDGET_MS.most) break;
    waitedFor = wasFound ? "end" : "coming";
    await progress(found.coverage.scannedExecutions, `Waiting for ${missing.progress}`);
    await wait.pause(pause);
    polledAt = clock.now();
    found = await history.trace(continuedQuery(query, found, deadline - clock.now()), progress);
  }
  return { found, waitedFor, waitedMs: waitedFor === "nothing" ? 0 : clock.now() - begun };
}

/** The query that goes on from a trace. */
export function continuedQuery(
  query: TraceQuery,
  { traceId, requestId }: HistoryTrace,
  leftMs: number,
): TraceQuery {
  const timeBudgetMs = Math.max(TIME_BUDGET_MS.least, Math.min(query.timeBudgetMs, Math.ceil(leftMs)));
  return { ...query, requestId, traceId, timeBudgetMs, isFurtherLook: true };
}

function untilNextPoll(now: number, poll: number): number {
  const step = STEPS_MS[Math.min(poll, STEPS_MS.length - 1)] ?? 0;
  return Math.ceil((now + step) / 1_000) * 1_000 - now;
}

/** Words for what has not arrived or not ended; null when everything has ended. */
function stillMissing(found: HistoryTrace): { progress: string; failed: string } | null {
  if (found.matches.length === 0)
    return { progress: "the request to arrive", failed: "The request did not arrive" };
  const mayEnd = ({ status, stoppedAt }: TracedExecution) => status !== "unknown" || stoppedAt === null;
  const open = found.family.filter((execution) => !hasEnded(execution) && mayEnd(execution));
  const [first] = open;
  if (first === undefined) return null;
  const executions = `${counted(open.length, "execution")} (${first.id}: ${first.status})`;
  return { progress: `the end of ${executions}`, failed: `${executions} did not end` };
}

/** A sentence for the message; empty if the call did not wait. */
export function waitingSentence({ found, waitedFor, waitedMs }: WaitedTrace): string {
  if (waitedFor === "nothing") return "";
  const missing = stillMissing(found);
  const seconds = counted(Math.round(waitedMs / 1_000), "second");
  if (waitedFor === "end" && found.matches.length === 0)
    return ` It arrived, and ended within ${seconds}: n8n has not kept it.`;
  const what = waitedFor === "coming" ? "the request to arrive" : "its end";
  return missing === null ? ` Waited ${seconds} for ${what}.` : ` ${missing.failed} within ${seconds}.`;
}
