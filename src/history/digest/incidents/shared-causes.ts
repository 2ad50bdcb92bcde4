/** One host, one credential or one error that makes several workflows fail at a time, far beyond chance. Pure. */
import { HOUR_MS, isIn, type Run, type RunFailure, type Span } from "../run.ts";
import { chanceOf, surprise } from "../statistics.ts";
import { type Affected, affectedBy, type Happened, type Incident, incidentOf } from "./incident.ts";

const LEAST_WORKFLOWS = 3;
/** Failures further apart are of two incidents. */
const PAUSE_MS = 2 * HOUR_MS;
/** In half of what ran meanwhile. */
const LEAST_SHARE = 0.5;
/** Of a hundred million looks, one would find it by chance. */
const LEAST_SURPRISE = Math.log(1e8);

/** Null for a failure that says too little to be the same as another. */
function causeOf({ errorClass, httpStatus, host, cause }: RunFailure): string | null {
  if (host !== null) return JSON.stringify([errorClass, httpStatus, host]);
  if (cause !== null) return JSON.stringify([errorClass, httpStatus, "", cause]);
  return httpStatus === null && errorClass !== "NodeApiError"
    ? null
    : JSON.stringify([errorClass, httpStatus]);
}

export function sharedCauses(happened: Happened): Incident[] {
  const known = affectedBy(happened, ({ status, failure }) => status === "error" && failure !== null);
  const byCause = Map.groupBy(known, ({ run }) => (run.failure === null ? null : causeOf(run.failure)));
  return [...byCause].flatMap(([cause, all]) => {
    if (cause === null || workflowsOf(all).size < LEAST_WORKFLOWS) return [];
    return withoutPauses(all)
      .filter((affected) => isBeyondChance(cause, affected, happened))
      .map((affected) => incidentOf("shared_cause", affected, happened));
  });
}

const workflowsOf = (affected: readonly Affected[]): Set<string> =>
  new Set(affected.map(({ workflowId }) => workflowId));

function withoutPauses(all: readonly Affected[]): Affected[][] {
  const parts: Affected[][] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (const one of all.toSorted((a, b) => a.run.startedAt - b.run.startedAt)) {
    if (one.run.startedAt - before > PAUSE_MS) parts.push([]);
    parts.at(-1)?.push(one);
    before = one.run.startedAt;
  }
  return parts;
}

/** Compares with how often the same failed in the same workflows before. */
function isBeyondChance(cause: string, affected: readonly Affected[], { workflows }: Happened): boolean {
  const ids = workflowsOf(affected);
  const times = affected.map(({ run }) => run.startedAt);
  const meanwhile: Span = { from: times[0] ?? 0, to: (times.at(-1) ?? 0) + 1 };
  const isOfCause = ({ failure }: Run): boolean => failure !== null && causeOf(failure) === cause;
  const share = (runs: readonly Run[]) => ({ count: runs.filter(isOfCause).length, of: runs.length });
  const touched = workflows
    .filter(({ workflowId }) => ids.has(workflowId))
    .map(({ runs }) => ({
      now: share(runs.filter(({ startedAt }) => isIn(meanwhile, startedAt))),
      before: share(runs.filter(({ startedAt }) => startedAt < meanwhile.from)),
    }))
    .filter(({ now }) => now.count >= now.of * LEAST_SHARE);
  const total = touched.reduce((sum, { now, before }) => sum + surprise(now, chanceOf(before)), 0);
  return touched.length >= LEAST_WORKFLOWS && total >= LEAST_SURPRISE;
}
