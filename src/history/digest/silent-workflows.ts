/**
 * Workflows that stopped: schedules by what they are meant to do, where n8n tells it, all others by what they did
 * before. And those that may no longer be published. Pure.
 */
import type { KnownWorkflows } from "../../n8n/unsaved-workflows.ts";
import type { WorkflowFacts } from "../../n8n/workflow-schemas.ts";
import type { Run, WorkflowRuns } from "./run.ts";
import { missedRuns } from "./schedule.ts";
import { ARRIVING, gapsBetween, type SilenceQuestion, type SilentWorkflow, silenceOf } from "./silence.ts";

/** A workflow that started by itself, and is not in n8n's list of published ones. */
export interface UnlistedWorkflow {
  readonly workflowId: string;
  readonly lastId: string;
  readonly lastAt: number;
  /** As many of the last runs in a row crashed. */
  readonly crashesInARow: number;
}

/** @param asked the one workflow that was asked for, or null for all */
export function silentWorkflows(
  workflows: readonly WorkflowRuns[],
  published: KnownWorkflows | null,
  question: SilenceQuestion & { readonly asked: string | null },
): SilentWorkflow[] {
  const byId = new Map(workflows.map((each) => [each.workflowId, each.runs]));
  const isSaving = workflows.some(({ runs }) => runs.some(({ status }) => status === "success"));
  const scheduled = (published?.workflows ?? []).filter(
    ({ id, schedules, settings }) =>
      schedules.length > 0 &&
      (question.asked === null || id === question.asked) &&
      settings.saveDataSuccessExecution !== "none" &&
      settings.engineType !== "v2",
  );
  const ids = new Set(scheduled.map(({ id }) => id));
  const late = scheduled.flatMap((facts) => {
    const runs = byId.get(facts.id) ?? [];
    // Where only failures are kept, none is good news.
    const isKept = runs.length === 0 ? isSaving : runs.some(({ status }) => status === "success");
    return isKept ? (lateBy(facts, runs, question) ?? []) : [];
  });
  const others = workflows.flatMap((each) => {
    const found = silenceOf(each, question);
    return found === null || (found.kind === "schedule" && ids.has(each.workflowId)) ? [] : [found];
  });
  return [...late, ...others];
}

function lateBy(
  { id, settings, schedules, savedAt }: WorkflowFacts,
  runs: readonly Run[],
  { asOf, knownSince }: SilenceQuestion,
): SilentWorkflow | null {
  const own = runs.filter(({ mode, startedAt }) => mode === "trigger" && startedAt < asOf);
  const [last] = own;
  const saved = savedAt === null ? null : Date.parse(savedAt);
  if (last === undefined && saved === null) return null;
  // What ran before says nothing of a version that was saved since.
  const lastAt = last === undefined || (saved ?? 0) > last.startedAt ? null : last.startedAt;
  if (lastAt !== null && asOf - lastAt < shortestGap(own)) return null;
  const since = Math.max(saved ?? knownSince, knownSince);
  const timezone = settings.timezone ?? null;
  const missed = missedRuns({ rules: schedules, timezone }, { lastAt, since, asOf });
  if (missed === null) return null;
  const { dueAt, missed: expectedRuns, gapMs: usualGapMs } = missed;
  const ran = { lastId: last?.id ?? null, lastAt: last?.startedAt ?? null };
  return { workflowId: id, kind: "schedule", ...ran, dueAt, usualGapMs, expectedRuns };
}

const LOOKED_AT = 20;
/** A schedule is asked only once it could be late: that is cheap, and rules are not. */
function shortestGap(newestFirst: readonly Run[]): number {
  const times = newestFirst.slice(0, LOOKED_AT).map(({ startedAt }) => startedAt);
  return times.length < 2 ? 0 : Math.min(...gapsBetween(times.toReversed()));
}

/** @returns newest first; none if n8n's list does not have all */
export function unlistedWorkflows(
  workflows: readonly WorkflowRuns[],
  published: KnownWorkflows | null,
): UnlistedWorkflow[] {
  if (published === null || !published.areAll) return [];
  const ids = new Set(published.workflows.map(({ id }) => id));
  return workflows
    .filter(({ workflowId }) => !ids.has(workflowId))
    .flatMap(({ workflowId, runs }) => {
      const own = runs.filter(({ mode }) => ARRIVING.has(mode));
      const [last] = own;
      if (last === undefined) return [];
      const standing = own.findIndex(({ status }) => status !== "crashed");
      const crashesInARow = standing === -1 ? own.length : standing;
      return [{ workflowId, lastId: last.id, lastAt: last.startedAt, crashesInARow }];
    })
    .toSorted((a, b) => b.lastAt - a.lastAt);
}
