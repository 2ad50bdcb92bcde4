/**
 * Reports how well a tool kept its contract, and the outcomes of an MCP server's calls: names, JSON types, counts and
 * times, no payload. Pure.
 */
import { durationMs } from "../../../executions/node-runs.ts";
import { runStatistics } from "../../../executions/run-statistics.ts";
import type { ExecutionListItem } from "../../../n8n/schemas.ts";
import { sumOf } from "../../../platform/sum-of.ts";
import type { RunVerdict } from "./judge-run.ts";
import type { McpCall } from "./mcp-call.ts";
import type { OutputFault } from "./standard-output.ts";
import type { RunPath } from "./tool-answer.ts";
import type { WrongInput } from "./wrong-inputs.ts";

export interface JudgedRun {
  readonly item: ExecutionListItem;
  readonly verdict: RunVerdict;
}

export interface JudgedCall {
  readonly executionId: string;
  readonly call: McpCall;
}

/** A run is slow if it takes at least this many times the median, and at least `SLOW_FROM_MS`. */
const SLOW_FACTOR = 3;
const SLOW_FROM_MS = 1_000;
const MAX_SLOW = 5;

export type ToolReport = ReturnType<typeof toolReport>;

/** @param runs newest first */
export function toolReport(runs: readonly JudgedRun[]) {
  const invalid = new Tally<RunPath & { readonly faults: readonly OutputFault[] }>();
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
    /** How many runs could be judged: `kept + invalid + failed`. */
    runs: judged.length,
    kept: judged.length - invalid.count - failures.count,
    invalid: invalid.count,
    /** Runs that n8n itself reports as failed. */
    failed: failures.count,
    /** Answers with `status: "error"`, which n8n reports as success; some may also be invalid. */
    errors: codes.count,
    p50Ms,
    p95Ms,
    slow: slowRuns(judged, p50Ms),
    invalidAnswers: invalid.list(),
    errorCodes: codes.list(),
    failures: failures.list(),
    /** Taken from the answers with `VALIDATION_ERROR`. */
    wrongArguments: wrong.list(),
  };
}

/** `slowerThanMs` is null when there is nothing to compare with; the slowest runs come first. */
function slowRuns(runs: readonly JudgedRun[], medianMs: number | null) {
  if (medianMs === null) return { slowerThanMs: null, count: 0, runs: [] };
  const slowerThanMs = Math.max(SLOW_FROM_MS, medianMs * SLOW_FACTOR);
  const slow = runs
    .map(({ item }) => ({ executionId: item.id, durationMs: durationMs(item) ?? 0 }))
    .filter((run) => run.durationMs > slowerThanMs)
    .sort((a, b) => b.durationMs - a.durationMs);
  return { slowerThanMs, count: slow.length, runs: slow.slice(0, MAX_SLOW) };
}

export type CallReport = ReturnType<typeof callReport>;

/** The outcomes of an MCP server's last tool calls. @param calls newest first */
export function callReport(calls: readonly JudgedCall[]) {
  const failed = new Tally<{ node: string }>();
  const notRun = new Tally<{ node: string }>();
  const wrong = new Tally<WrongInput & { readonly node: string }>();
  // The requested name is the caller's text, so it is not kept.
  const unknown = new Tally<Record<never, never>>();
  for (const { executionId, call } of calls) {
    if (call.kind === "failed") failed.add({ node: call.node }, executionId);
    if (call.kind === "not_run") notRun.add({ node: call.node }, executionId);
    if (call.kind === "unknown_tool") unknown.add({}, executionId);
    if (call.kind !== "refused") continue;
    for (const each of call.wrongInputs) wrong.add({ node: call.node, ...each }, executionId);
  }
  const count = (kind: McpCall["kind"]): number => calls.filter(({ call }) => call.kind === kind).length;
  return {
    calls: calls.length - count("unjudged"),
    answered: count("answered"),
    /** Calls that the tool's schema refused, before the sub-workflow ran. */
    refused: count("refused"),
    /** The sub-workflow gave no answer: the client got an error, but n8n reports a success. */
    failed: failed.list(),
    notRun: notRun.list(),
    wrongArguments: wrong.list(),
    unknownTool: unknown.list()[0] ?? { count: 0, executionIds: [] },
  };
}

const MAX_IDS = 5;
const MAX_KINDS = 20;

/** Counts equal entries, and remembers the newest executions in which they occurred. */
export class Tally<Thing extends object> {
  readonly #kinds = new Map<string, { thing: Thing; executionIds: Set<string>; count: number }>();

  /** Must be called for the newest execution first. Entries with equal members are counted together. */
  add(thing: Thing, executionId: string): void {
    const key = JSON.stringify(thing);
    const kind = this.#kinds.get(key) ?? { thing, executionIds: new Set(), count: 0 };
    kind.count += 1;
    if (kind.executionIds.size < MAX_IDS) kind.executionIds.add(executionId);
    this.#kinds.set(key, kind);
  }

  get count(): number {
    return sumOf([...this.#kinds.values()], ({ count }) => count);
  }

  /** Lists the most frequent entries first, up to a limit. */
  list() {
    return [...this.#kinds.values()]
      .sort((a, b) => b.count - a.count)
      .slice(0, MAX_KINDS)
      .map(({ thing, count, executionIds }) => ({ ...thing, count, executionIds: [...executionIds] }));
  }
}
