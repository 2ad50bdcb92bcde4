/** A workflow that began to fail with a new version, and an error workflow that fails itself. Pure. */
import { isIn, type Run } from "../run.ts";
import { chanceOf, shareOf, surprise } from "../statistics.ts";
import { type Happened, type Incident, incidentOf } from "./incident.ts";

const VERSION = { leastBefore: 10, leastFailures: 3, leastShare: 0.25, leastSurprise: 13 };
/** Assumes that fewer than one in twenty runs fail. One that never succeeded is reported after three failures. */
const ERROR_WORKFLOW = { chance: 0.05, neverWell: 8.9, leastSurprise: 14 };

const hasKnownFailure = ({ failure }: Run): boolean => failure !== null;

/** Each version with which a workflow began to fail: its first or second run failed, the run before it did not. */
export const brokenVersions = (happened: Happened): Incident[] =>
  happened.workflows.flatMap(({ workflowId, runs }) => {
    const ended = runs
      .filter(
        ({ status, failure, version }) => (status === "success" || failure !== null) && version !== null,
      )
      .toReversed();
    // A version that fails like the one before is not another cause.
    const begins = ended.flatMap((run, index) => {
      const before = ended[index - 1];
      const goesOn = before === undefined || before.version === run.version;
      return goesOn || [before, run].every(hasKnownFailure) ? [] : [index];
    });
    return begins.flatMap((start, index) => {
      const broken = brokenSince(ended.slice(0, start), ended.slice(start, begins[index + 1]));
      const last = broken.at(-1);
      if (last === undefined || !isIn(happened.window, last.startedAt)) return [];
      const affected = broken.map((run) => ({ ...run, workflowId }));
      return [incidentOf("version", affected, happened, { version: ended[start]?.version ?? null })];
    });
  });

function brokenSince(before: readonly Run[], own: readonly Run[]): readonly Run[] {
  const hasBegun = !before.slice(-1).some(hasKnownFailure) && own.slice(0, 2).some(hasKnownFailure);
  const now = shareOf(own, hasKnownFailure);
  const isMany = now.count >= VERSION.leastFailures && now.count >= now.of * VERSION.leastShare;
  if (!hasBegun || !isMany || before.length < VERSION.leastBefore) return [];
  const lately = shareOf(before.slice(-VERSION.leastBefore), hasKnownFailure);
  const chance = Math.max(chanceOf(shareOf(before, hasKnownFailure)), lately.count / lately.of);
  return surprise(now, chance) >= VERSION.leastSurprise ? own.filter(hasKnownFailure) : [];
}

export const failingErrorWorkflows = (happened: Happened): Incident[] =>
  happened.workflows.flatMap(({ workflowId, runs }) => {
    const affected = failedHandling(runs, happened)
      .map((run) => ({ ...run, workflowId }))
      .toReversed();
    return affected.length === 0 ? [] : [incidentOf("error_workflow", affected, happened)];
  });

function failedHandling(runs: readonly Run[], { window }: Happened): readonly Run[] {
  const handled = runs.filter(({ mode }) => mode === "error");
  const now = handled.filter(({ startedAt }) => isIn(window, startedAt));
  const earlier = handled.filter(({ startedAt }) => startedAt < window.from);
  const { chance, neverWell, leastSurprise } = ERROR_WORKFLOW;
  const isNeverWell = handled.every(hasKnownFailure);
  const usual = isNeverWell ? chance : Math.max(chance, chanceOf(shareOf(earlier, hasKnownFailure)));
  const isBeyondChance =
    surprise(shareOf(now, hasKnownFailure), usual) >= (isNeverWell ? neverWell : leastSurprise);
  return isBeyondChance ? now.filter(hasKnownFailure) : [];
}
