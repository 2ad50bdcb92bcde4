/** A workflow that began to fail with a version, and an error workflow that fails itself. Pure. */
import { isIn, type Run } from "../run.ts";
import { chanceOf, shareOf, surprise } from "../statistics.ts";
import { type Happened, type Incident, incidentOf } from "./incident.ts";

const VERSION = { leastBefore: 10, leastFailures: 3, leastShare: 0.25, leastSurprise: 13 };
/** That an error workflow fails once in twenty times is usual nowhere. One that never succeeded is told after three. */
const ERROR_WORKFLOW = { chance: 0.05, neverWell: 8.9, leastSurprise: 14 };

const hasKnownFailure = ({ failure }: Run): boolean => failure !== null;

const eachWorkflow =
  (kind: Incident["kind"], isBroken: (runs: readonly Run[], happened: Happened) => readonly Run[]) =>
  (happened: Happened): Incident[] =>
    happened.workflows.flatMap(({ workflowId, runs }) => {
      const broken = isBroken(runs, happened).map((run) => ({ ...run, workflowId }));
      const affected = broken.filter(({ startedAt }) => isIn(happened.window, startedAt)).toReversed();
      const { version = null } = affected[0] ?? {};
      return affected.length === 0 ? [] : [incidentOf(kind, affected, happened, { version })];
    });

/** The failures of the newest version, if failing began with it: its first or second run, the last before it not. */
export const brokenVersions = eachWorkflow("version", (runs) => {
  const ended = runs.filter(
    ({ status, failure, version }) => (status === "success" || failure !== null) && version !== null,
  );
  const since = ended.findLastIndex(({ version }) => version === ended[0]?.version) + 1;
  const [own, before] = [ended.slice(0, since), ended.slice(since)];
  const [last] = before;
  const now = shareOf(own, hasKnownFailure);
  const hasBegun = last !== undefined && !hasKnownFailure(last) && own.slice(-2).some(hasKnownFailure);
  const isMany = now.count >= VERSION.leastFailures && now.count >= now.of * VERSION.leastShare;
  if (!hasBegun || !isMany || before.length < VERSION.leastBefore) return [];
  const isBeyondChance = surprise(now, chanceOf(shareOf(before, hasKnownFailure))) >= VERSION.leastSurprise;
  return isBeyondChance ? own.filter(hasKnownFailure) : [];
});

export const failingErrorWorkflows = eachWorkflow("error_workflow", (runs, { window }) => {
  const handled = runs.filter(({ mode }) => mode === "error");
  const now = handled.filter(({ startedAt }) => isIn(window, startedAt));
  const earlier = handled.filter(({ startedAt }) => startedAt < window.from);
  const { chance, neverWell, leastSurprise } = ERROR_WORKFLOW;
  const isNeverWell = handled.every(hasKnownFailure);
  const usual = isNeverWell ? chance : Math.max(chance, chanceOf(shareOf(earlier, hasKnownFailure)));
  const isBeyondChance =
    surprise(shareOf(now, hasKnownFailure), usual) >= (isNeverWell ? neverWell : leastSurprise);
  return isBeyondChance ? now.filter(hasKnownFailure) : [];
});
