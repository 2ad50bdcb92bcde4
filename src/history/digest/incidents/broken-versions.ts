/** A workflow that began to fail with a version, and an error workflow that fails itself. Pure. */
import { isIn, type Run, type WorkflowRuns } from "../run.ts";
import { chanceOf, surprise } from "../statistics.ts";
import { affectedBy, type Happened, type Incident, incidentOf } from "./incident.ts";

const VERSION = { leastBefore: 10, leastFailures: 3, leastShare: 0.25, leastSurprise: 13 };
/** An error workflow has no usual: that it fails once in twenty times is not usual anywhere. */
const ERROR_WORKFLOW = { chance: 0.05, leastSurprise: 8.9 };

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
  const handled = affectedBy(happened, ({ mode }) => mode === "error");
  return [...Map.groupBy(handled, ({ workflowId }) => workflowId).values()].flatMap((all) => {
    const failed = all.filter(({ run }) => hasFailed(run));
    const share = { count: failed.length, of: all.length };
    const isChance = surprise(share, ERROR_WORKFLOW.chance) < ERROR_WORKFLOW.leastSurprise;
    return isChance ? [] : [incidentOf("error_workflow", failed, happened)];
  });
}
