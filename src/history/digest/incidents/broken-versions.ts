/** A workflow that began to fail with a version, and an error workflow that fails itself. Pure. */
import { isIn, type Run, type WorkflowRuns } from "../run.ts";
import { chanceOf, surprise } from "../statistics.ts";
import { type Happened, type Incident, incidentOf } from "./incident.ts";

const VERSION = { leastBefore: 10, leastFailures: 3, leastShare: 0.25, leastSurprise: 13 };
/** That an error workflow fails once in twenty times is usual nowhere. One that never succeeded is told after three. */
const ERROR_WORKFLOW = { chance: 0.05, neverWell: 8.9, leastSurprise: 14 };

export const brokenVersions = (happened: Happened): Incident[] =>
  happened.workflows.flatMap(({ workflowId, runs }) => {
    const broken = brokenBy(runs);
    const affected = broken.filter(({ startedAt }) => isIn(happened.window, startedAt));
    const [first] = broken.toReversed();
    if (affected.length === 0 || first === undefined) return [];
    const { version, startedAt } = first;
    const failed = affected.map((run) => ({ workflowId, run }));
    return [incidentOf("version", failed, happened, { version, startedAt })];
  });

const hasFailed = ({ failure }: Run): boolean => failure !== null;

/** The failures of the newest version that ran, if failing began with it: its first or second run, the last before it not. */
function brokenBy(runs: WorkflowRuns["runs"]): readonly Run[] {
  const ended = runs.filter(({ status, failure }) => status === "success" || failure !== null);
  const version = ended[0]?.version ?? null;
  if (version === null) return [];
  const since = ended.findLastIndex((run) => run.version === version) + 1;
  const [own, earlier] = [ended.slice(0, since), ended.slice(since)];
  const before = earlier.filter((run) => run.version !== null);
  const [last] = before;
  const failed = own.filter(hasFailed);
  if (last === undefined || hasFailed(last) || before.length < VERSION.leastBefore) return [];
  if (failed.length < VERSION.leastFailures || failed.length < own.length * VERSION.leastShare) return [];
  if (!own.slice(-2).some(hasFailed)) return [];
  const chance = chanceOf({ count: before.filter(hasFailed).length, of: before.length });
  const isChance = surprise({ count: failed.length, of: own.length }, chance) < VERSION.leastSurprise;
  return isChance ? [] : failed;
}

export function failingErrorWorkflows(happened: Happened): Incident[] {
  return happened.workflows.flatMap(({ workflowId, runs }) => {
    const handled = runs.filter(({ mode }) => mode === "error");
    const now = handled.filter(({ startedAt }) => isIn(happened.window, startedAt));
    const earlier = handled.filter(({ startedAt }) => startedAt < happened.window.from);
    const failed = now.filter(hasFailed);
    const { chance, neverWell, leastSurprise } = ERROR_WORKFLOW;
    const usual = Math.max(chance, chanceOf({ count: earlier.filter(hasFailed).length, of: earlier.length }));
    const isNeverWell = handled.every(hasFailed);
    const share = { count: failed.length, of: now.length };
    const isBeyondChance = isNeverWell
      ? surprise(share, chance) >= neverWell
      : surprise(share, usual) >= leastSurprise;
    const affected = failed.map((run) => ({ workflowId, run }));
    return isBeyondChance ? [incidentOf("error_workflow", affected, happened)] : [];
  });
}
