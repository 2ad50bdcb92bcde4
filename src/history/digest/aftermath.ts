/**
 * Whether something that failed is mended: what ran since in the same workflows, and whether that says anything where
 * it failed only now and then. Pure.
 */
import { isIn, type Run, type WorkflowRuns } from "./run.ts";
import { gapsBetween } from "./silence.ts";
import { median } from "./statistics.ts";

export interface Aftermath {
  /**
   * `over`: so many successes are no chance. `too_early`: some succeeded, as some did before. `goes_on`: the last failure
   * is no older than usual. `unknown`: nothing has succeeded, and it is quiet.
   */
  readonly state: "over" | "too_early" | "goes_on" | "unknown";
  /** Runs since the last failure, and how many of them succeeded. */
  readonly ran: number;
  readonly succeeded: number;
  /** The newest of these. */
  readonly successIds: readonly string[];
  /** Begins the id of the version of the newest of these, if the last failure was one of another. */
  readonly editedTo: string | null;
}

/** Once in twenty times it is chance. */
const CHANCE = 0.05;
const MAX_SUCCESSES = 3;
const LEAST_RECENT_MS = 15 * 60_000;
const TIMES_USUAL = 3;
const LOOKED_AT = 20;

/** @param failed what failed, in any order; not empty @param workflows those that it failed in */
export function aftermathOf(
  failed: readonly Run[],
  workflows: readonly WorkflowRuns[],
  asOf: number,
): Aftermath {
  const times = failed.map(({ startedAt }) => startedAt).toSorted((a, b) => a - b);
  const [first = asOf, last = asOf] = [times[0], times.at(-1)];
  const runs = workflows.flatMap((each) => each.runs);
  const during = runs.filter(({ startedAt }) => isIn({ from: first, to: last + 1 }, startedAt)).length;
  const since = runs.filter(({ startedAt }) => startedAt > last);
  const good = since
    .filter(({ status }) => status === "success")
    .toSorted((a, b) => b.startedAt - a.startedAt);
  const share = Math.min(1, failed.length / Math.max(1, during));
  const recentMs = Math.max(LEAST_RECENT_MS, TIMES_USUAL * Math.min(...workflows.map(usualGap)));
  const before = failed.find(({ startedAt }) => startedAt === last)?.version ?? null;
  const version = workflows.length === 1 ? (good[0]?.version ?? null) : null;
  return {
    state: stateOf(good.length, share, asOf - last <= recentMs),
    ran: since.length,
    succeeded: good.length,
    successIds: good.slice(0, MAX_SUCCESSES).map(({ id }) => id),
    editedTo: before === null || before === version ? null : version,
  };
}

/** Milliseconds between the last runs of a workflow. */
function usualGap({ runs }: WorkflowRuns): number {
  const times = runs.slice(0, LOOKED_AT).map(({ startedAt }) => startedAt);
  return median(gapsBetween(times.toReversed())) ?? 0;
}

function stateOf(succeeded: number, share: number, isRecent: boolean): Aftermath["state"] {
  if (succeeded === 0) return isRecent ? "goes_on" : "unknown";
  return (1 - share) ** succeeded <= CHANCE ? "over" : "too_early";
}
