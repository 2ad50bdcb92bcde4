/** Whether something that failed is fixed, judged by what ran since in the same workflows. Pure. */
import { MINUTE_MS } from "../../platform/durations.ts";
import { isIn, type Run, type WorkflowRuns } from "./run.ts";
import { lastGaps } from "./silence.ts";
import { median, type Share } from "./statistics.ts";

export interface Aftermath {
  /**
   * `over`: too many successes for chance. `too_early`: some succeeded, as some did before. `goes_on`: the last failure
   * is no older than usual. `unknown`: no success since, or none by the node that failed, and no recent failure.
   */
  readonly state: (typeof STATES)[number];
  /** The share of the workflows in this state; the other facts concern these. */
  readonly where: Share;
  /** Runs since the last failure ended, and how many of them succeeded. */
  readonly ran: number;
  readonly succeeded: number;
  /** For a single workflow: start of its newest success, epoch ms. */
  readonly lastSuccessAt: number | null;
  /** The newest successes. */
  readonly successIds: readonly string[];
  /** Prefix of the version id of the newest success, if the last failure was of another version. */
  readonly editedTo: string | null;
}

/** `over` if the successes are at most this likely to be chance. */
const CHANCE = 0.05;
const MAX_SUCCESSES = 3;
const LEAST_RECENT_MS = 15 * MINUTE_MS;
const TIMES_USUAL = 3;

/** The worst first: what is over in one workflow may go on in another. */
const STATES = ["goes_on", "unknown", "too_early", "over"] as const;

/** @param failed the failures, in any order @param workflows the workflows that failed */
export function aftermathOf(
  failed: readonly Run[],
  workflows: readonly WorkflowRuns[],
  asOf: number,
): Aftermath {
  const ids = new Set(failed.map(({ id }) => id));
  const all = workflows.map((each) => sinceIn(each, ids, asOf));
  const state = STATES.find((one) => all.some((each) => each.state === one)) ?? "unknown";
  const inState = all.filter((each) => each.state === state);
  const good = inState.flatMap((each) => each.good).toSorted((a, b) => b.startedAt - a.startedAt);
  return {
    state,
    where: { count: inState.length, of: all.length },
    ran: inState.reduce((sum, { ran }) => sum + ran, 0),
    succeeded: good.length,
    successIds: good.slice(0, MAX_SUCCESSES).map(({ id }) => id),
    lastSuccessAt: all.length === 1 ? (inState[0]?.lastSuccessAt ?? null) : null,
    editedTo: all.length === 1 ? (inState[0]?.editedTo ?? null) : null,
  };
}

function sinceIn({ runs }: WorkflowRuns, ids: ReadonlySet<string>, asOf: number) {
  const failed = runs.filter(({ id }) => ids.has(id)).toSorted((a, b) => b.startedAt - a.startedAt);
  const [last, first] = [failed[0], failed.at(-1)];
  // Runs that began before a failure ended say nothing about its outcome.
  const endedAt = failed.reduce((end, run) => Math.max(end, run.stoppedAt ?? run.startedAt), 0);
  const since = runs.filter(({ startedAt }) => startedAt > endedAt);
  const good = since.filter(({ status }) => status === "success");
  const version = good[0]?.version ?? null;
  const usualGap = median(lastGaps(runs)) ?? 0;
  const isRecent = asOf - endedAt <= Math.max(LEAST_RECENT_MS, TIMES_USUAL * usualGap);
  return {
    state: stateOf(good.length, shareOfFailed(runs, failed.length, first, last), isRecent),
    ran: since.length,
    good,
    lastSuccessAt: runs.find(({ status }) => status === "success")?.startedAt ?? null,
    editedTo: last?.version == null || last.version === version ? null : version,
  };
}

/** Share of failures between the first and the last; for a single failure, among the earlier runs of its version. */
function shareOfFailed(runs: readonly Run[], count: number, first?: Run, last?: Run): number {
  if (first === undefined || last === undefined) return 1;
  const isEarlier = ({ startedAt, version }: Run) => startedAt < first.startedAt && version === first.version;
  if (count === 1) return 1 / (1 + runs.filter(isEarlier).length);
  const during = { from: first.startedAt, to: last.startedAt + 1 };
  const ran = runs.filter(({ startedAt }) => isIn(during, startedAt)).length;
  return (count - 1) / Math.max(1, ran - 1);
}

function stateOf(succeeded: number, share: number, isRecent: boolean): Aftermath["state"] {
  if (succeeded === 0) return isRecent ? "goes_on" : "unknown";
  return (1 - share) ** succeeded <= CHANCE ? "over" : "too_early";
}
