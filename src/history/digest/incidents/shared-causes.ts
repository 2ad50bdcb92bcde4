/** One host, credential or error that makes several workflows fail at the same time, far beyond chance. Pure. */
import { HOUR_MS } from "../../../platform/durations.ts";
import { isIn, type Run, type WorkflowRuns } from "../run.ts";
import { chanceOf, shareOf, surprise } from "../statistics.ts";
import {
  type Affected,
  affectedBy,
  type Happened,
  type Incident,
  incidentOf,
  splitByPauses,
} from "./incident.ts";

const LEAST_WORKFLOWS = 3;
/** Failures further apart belong to two incidents. */
const PAUSE_MS = 2 * HOUR_MS;
/** Minimum share of failures among the runs during the incident. */
const LEAST_SHARE = 0.5;
/** Happens by chance once in a hundred million cases. */
const LEAST_SURPRISE = Math.log(1e8);

/** Null if it did not fail, or its failure says too little to be compared with others. */
function causeOf({ status, failure }: Run): string | null {
  if (status !== "error" || failure === null) return null;
  const { errorClass, httpStatus, host, cause } = failure;
  const isConclusive =
    host !== null || cause !== null || httpStatus !== null || errorClass === "NodeApiError";
  return isConclusive ? JSON.stringify([errorClass, httpStatus, host, host === null ? cause : null]) : null;
}

export function sharedCauses(happened: Happened): Incident[] {
  const failed = affectedBy(happened, (run) => causeOf(run) !== null);
  const byCause = Map.groupBy(failed, causeOf);
  return [...byCause].flatMap(([cause, all]) =>
    splitByPauses(all, PAUSE_MS, ({ startedAt }) => startedAt)
      .filter((affected) => isBeyondChance(cause, affected, happened.workflows))
      .map((affected) =>
        incidentOf("shared_cause", [...begun(cause, affected, happened), ...affected], happened),
      ),
  );
}

/** Failures of the same cause that preceded the window without a success in between. */
function begun(
  cause: string | null,
  affected: readonly Affected[],
  { workflows, window }: Happened,
): Affected[] {
  const earlier = workflows.flatMap(({ workflowId, runs }) => {
    const first = affected.find((run) => run.workflowId === workflowId);
    const older = first === undefined ? [] : runs.slice(runs.findIndex(({ id }) => id === first.id) + 1);
    if (older[0] === undefined || isIn(window, older[0].startedAt)) return [];
    const end = older.findIndex((run) => causeOf(run) !== cause);
    return older.slice(0, end === -1 ? older.length : end).map((run) => ({ ...run, workflowId }));
  });
  return earlier.toSorted((a, b) => a.startedAt - b.startedAt);
}

/** Compares with how often the same cause occurred in the same workflows before. */
function isBeyondChance(
  cause: string | null,
  affected: readonly Affected[],
  workflows: readonly WorkflowRuns[],
): boolean {
  const ids = new Set(affected.map(({ workflowId }) => workflowId));
  const [from = 0, last = 0] = [affected[0]?.startedAt, affected.at(-1)?.startedAt];
  if (ids.size < LEAST_WORKFLOWS) return false;
  const share = (runs: readonly Run[]) => shareOf(runs, (run) => causeOf(run) === cause);
  const touched = workflows
    .filter(({ workflowId }) => ids.has(workflowId))
    .map(({ runs }) => ({
      now: share(runs.filter(({ startedAt }) => isIn({ from, to: last + 1 }, startedAt))),
      before: share(runs.filter(({ startedAt }) => startedAt < from)),
    }))
    .filter(({ now }) => now.count >= now.of * LEAST_SHARE);
  const total = touched.reduce((sum, { now, before }) => sum + surprise(now, chanceOf(before)), 0);
  return touched.length >= LEAST_WORKFLOWS && total >= LEAST_SURPRISE;
}
