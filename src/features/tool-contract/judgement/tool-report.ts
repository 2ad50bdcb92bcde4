/** Reports how well a tool kept its contract: names, kinds of JSON, counts and times, no payload. Pure. */

import { durationMs } from "../../../executions/node-runs.ts";
import { runStatistics } from "../../../executions/run-statistics.ts";
import type { ExecutionListItem } from "../../../n8n/schemas.ts";
import type { RunVerdict } from "./judge-run.ts";
import type { RunPath } from "./run-path.ts";
import type { OutputFault } from "./standard-output.ts";
import { type Tallied, Tally } from "./tally.ts";
import type { WrongInput } from "./wrong-inputs.ts";

/** A finished run, and what was made of it. */
export interface JudgedRun {
  readonly item: ExecutionListItem;
  readonly verdict: RunVerdict;
}

/** The answers that did not keep the standard output, by the path that produced them. */
export interface InvalidAnswer extends RunPath {
  readonly faults: readonly OutputFault[];
}

export interface SlowRuns {
  /** Slower than this is slow; null when there is nothing to compare with. */
  readonly slowerThanMs: number | null;
  readonly count: number;
  /** The slowest first. */
  readonly runs: readonly { readonly executionId: string; readonly durationMs: number }[];
}

export interface ToolReport {
  /** How many runs could be judged: `kept + invalid + failed`. */
  readonly runs: number;
  readonly kept: number;
  readonly invalid: number;
  /** Runs that n8n, too, calls failed. */
  readonly failed: number;
  /** Answers with `status: "error"`, which n8n calls a success; some of them may be invalid as well. */
  readonly errors: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly slow: SlowRuns;
  readonly invalidAnswers: readonly Tallied<InvalidAnswer>[];
  readonly errorCodes: readonly Tallied<{ readonly code: string }>[];
  readonly failures: readonly Tallied<{ readonly status: string; readonly node: string | null }>[];
  /** Taken from the answers with `VALIDATION_ERROR`. */
  readonly wrongArguments: readonly Tallied<WrongInput>[];
}

/** A run is slow from this many times the median, and from this time, whichever is longer. */
const SLOW_FACTOR = 3;
const SLOW_FROM_MS = 1_000;
const MAX_SLOW = 5;

/** @param runs newest first */
export function toolReport(runs: readonly JudgedRun[]): ToolReport {
  const invalid = new Tally<InvalidAnswer>();
  const codes = new Tally<{ code: string }>();
  const failures = new Tally<{ status: string; node: string | null }>();
  const wrong = new Tally<WrongInput>();
  const judged = runs.filter(({ verdict }) => verdict.kind !== "unjudged");
  for (const { item, verdict } of judged) {
    if (verdict.kind === "failed") failures.add({ status: verdict.status, node: verdict.node }, item.id);
    if (verdict.kind !== "answered") continue;
    const { faults, path, error } = verdict;
    if (faults.length > 0) invalid.add({ faults, ...path }, item.id);
    if (error === undefined) continue;
    codes.add({ code: error.code }, item.id);
    for (const each of error.wrongInputs) wrong.add(each, item.id);
  }
  const { p50Ms, p95Ms } = runStatistics(judged.map(({ item }) => item));
  return {
    runs: judged.length,
    kept: judged.length - invalid.count - failures.count,
    invalid: invalid.count,
    failed: failures.count,
    errors: codes.count,
    p50Ms,
    p95Ms,
    slow: slowRuns(judged, p50Ms),
    invalidAnswers: invalid.list(),
    errorCodes: codes.list(),
    failures: failures.list(),
    wrongArguments: wrong.list(),
  };
}

function slowRuns(runs: readonly JudgedRun[], medianMs: number | null): SlowRuns {
  if (medianMs === null) return { slowerThanMs: null, count: 0, runs: [] };
  const slowerThanMs = Math.max(SLOW_FROM_MS, medianMs * SLOW_FACTOR);
  const slow = runs
    .map(({ item }) => ({ executionId: item.id, durationMs: durationMs(item) ?? 0 }))
    .filter((run) => run.durationMs > slowerThanMs)
    .sort((a, b) => b.durationMs - a.durationMs);
  return { slowerThanMs, count: slow.length, runs: slow.slice(0, MAX_SLOW) };
}
