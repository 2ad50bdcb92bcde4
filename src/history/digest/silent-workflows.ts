/**
 * Workflows that stopped: schedules judged by their rules, if n8n provides them, all others by their past runs; and
 * those that are missing in n8n's list of published workflows. Pure.
 */
import type { KnownWorkflows } from "../../n8n/unsaved-workflows.ts";
import type { WorkflowFacts } from "../../n8n/workflow-schemas.ts";
import { isIn, type Span, type WorkflowRuns } from "./run.ts";
import { isReadable, missedRuns } from "./schedule.ts";
import {
  EXTERNAL_MODES,
  lastGaps,
  lastOf,
  type SilenceQuestion,
  type SilentWorkflow,
  silenceOf,
} from "./silence.ts";

/** @param published null if n8n does not provide them */
export function silentWorkflows(
  workflows: readonly WorkflowRuns[],
  published: KnownWorkflows | null,
  question: SilenceQuestion & { readonly window: Span },
): SilentWorkflow[] {
  const listed = new Map((published?.workflows ?? []).map((facts) => [facts.id, facts]));
  return workflows.flatMap((each) => {
    const facts = listed.get(each.workflowId);
    const found = silenceOf(each, question);
    const isGone = published?.areAll === true && facts === undefined;
    if (isGone) return unlisted(each, question.window);
    if (facts !== undefined && !keepsSuccesses(facts)) return [];
    if (facts === undefined || !facts.schedules.some(isReadable)) return found ?? [];
    return [found?.kind === "webhook" ? found : lateBy(each, facts, question)].filter((one) => one !== null);
  });
}

/** False if a missing run is no sign of silence. */
const keepsSuccesses = ({ settings }: WorkflowFacts): boolean =>
  settings.saveDataSuccessExecution !== "none" && settings.engineType !== "v2";

/** Null if it is not late, or n8n stores no successes to judge by. */
function lateBy(
  { workflowId, runs }: WorkflowRuns,
  { settings, schedules, savedAt }: WorkflowFacts,
  { asOf, knownSince }: SilenceQuestion,
): SilentWorkflow | null {
  const own = runs.filter(({ mode, startedAt }) => mode === "trigger" && startedAt < asOf);
  const [last] = own;
  if (last === undefined || !runs.some(({ status }) => status === "success")) return null;
  // Earlier runs say nothing about a version that was saved since.
  const saved = savedAt === null ? 0 : Date.parse(savedAt);
  const lastAt = saved > last.startedAt ? null : last.startedAt;
  // Evaluating rules is expensive, so first check cheaply whether it could be late.
  const gaps = lastGaps(own);
  const isEarly = gaps.length > 0 && asOf - last.startedAt < Math.min(...gaps);
  if (lastAt !== null && isEarly) return null;
  const since = Math.max(saved, knownSince);
  const missed = missedRuns(schedules, settings.timezone ?? null, { lastAt, since, asOf });
  if (missed === null) return null;
  const { dueAt, missed: expectedRuns, gapMs: usualGapMs } = missed;
  return { workflowId, kind: "schedule", ...lastOf(last), dueAt, usualGapMs, expectedRuns };
}

/** n8n can unpublish a workflow after this many crashes in a row (`N8N_WORKFLOW_AUTODEACTIVATION_ENABLED`). */
const CRASHES = 3;

function unlisted({ workflowId, runs }: WorkflowRuns, window: Span): SilentWorkflow[] {
  const own = runs.filter(({ mode }) => EXTERNAL_MODES.has(mode));
  const [last] = own;
  if (last === undefined || !isIn(window, last.startedAt)) return [];
  const latest = own.slice(0, CRASHES);
  const hasCrashed = latest.length === CRASHES && latest.every(({ status }) => status === "crashed");
  return [{ workflowId, kind: "unlisted", ...lastOf(last), hasCrashed, ...NOTHING_EXPECTED }];
}

const NOTHING_EXPECTED = { dueAt: null, usualGapMs: 0, expectedRuns: 0 };

/** Workflows that were only ever run by hand: they may have a schedule and not be published. */
export function triedOut(
  byHand: readonly WorkflowRuns[],
  workflows: readonly WorkflowRuns[],
  published: KnownWorkflows | null,
): SilentWorkflow[] {
  if (published?.areAll !== true) return [];
  const known = workflows.map(({ workflowId }) => workflowId);
  const ids = new Set([...known, ...published.workflows.map(({ id }) => id)]);
  return byHand.flatMap(({ workflowId, runs: [last] }) =>
    last === undefined || ids.has(workflowId)
      ? []
      : [{ workflowId, kind: "tried_out", ...lastOf(last), ...NOTHING_EXPECTED }],
  );
}
