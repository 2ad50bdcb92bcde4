/** "What broke, and what is silent?": looks for new executions, then queries the rows. The feature words the answer. */
import type { KnownWorkflows } from "../../n8n/unsaved-workflows.ts";
import { DAY_MS } from "../../platform/durations.ts";
import { sumOf } from "../../platform/sum-of.ts";
import type { QueueFacts } from "../report/index-report.ts";
import type { QueryDependencies } from "../scan/query-dependencies.ts";
import { type ScanSources, scopeOf } from "../scan/shared-scans.ts";
import { type Aftermath, aftermathOf } from "./aftermath.ts";
import { type AskedWindow, type CoveredWindow, cover, untilNewest } from "./cover-window.ts";
import {
  type FailedExecution,
  type FailureCounts,
  type FailureGroup,
  FailureRows,
  type Unhandled,
} from "./failure-rows.ts";
import { IdBounds } from "./id-bounds.ts";
import { findIncidents } from "./incidents/find-incidents.ts";
import type { Incident } from "./incidents/incident.ts";
import { durationsOf, isIn, mayLackStart, type Run, type Span, shifted, type WorkflowRuns } from "./run.ts";
import { RunRows } from "./run-rows.ts";
import { hasFailed, type RunSeries, seriesOf } from "./run-series.ts";
import type { SilentWorkflow } from "./silence.ts";
import { silentWorkflows, triedOut } from "./silent-workflows.ts";
import { median, quantile } from "./statistics.ts";
import { type HangingRun, hangingRuns, type UnusualRuns, unusualRuns } from "./unusual-runs.ts";

export interface FailureQuery extends AskedWindow {
  readonly workflowId: string | null;
  /** The id of a group whose executions are requested. */
  readonly group: string | null;
  /**
   * Whether errors of one class are told apart by their text. For callers who may not see the text they form one group:
   * otherwise someone who can make a workflow fail with a name could see whether another failed with the same one.
   */
  readonly isByText: boolean;
  readonly timeBudgetMs: number;
}

export interface FailureDependencies extends QueryDependencies {
  /** Null if n8n fails to return them. */
  readonly published: () => Promise<KnownWorkflows | null>;
}

/** A group, and what its workflows have run since. */
export interface FollowedGroup extends FailureGroup {
  /** The same at any time and for any caller. */
  readonly group: string;
  readonly since: Aftermath;
}
export type Followable = Pick<FollowedGroup, "group" | "nodeName" | "since">;

type OfWorkflow<Found> = Found & { readonly workflowId: string };

export interface HistoryFailures extends FailureCounts, CoveredWindow {
  readonly groups: readonly FollowedGroup[];
  /** The total number of groups, of which only the first are read. */
  readonly groupCount: number;
  readonly incidents: readonly Incident[];
  /** Failures of the window that began before it, the last to end first: they are counted where they began. */
  readonly failedLater: readonly FailedExecution[];
  /** Without a failure in the window: the last failure before, and what its workflow ran since. */
  readonly lastFailure: (Followable & Pick<Run, "startedAt"> & Pick<WorkflowRuns, "workflowId">) | null;
  /** Runs from the editor, and what they called: they are in no other member. */
  readonly editorRuns: number;
  /** The last known start, epoch ms. */
  readonly lastRunAt: number | null;
  /** Executions of the requested group; null if none was requested. */
  readonly executions: readonly FailedExecution[] | null;
  readonly silent: readonly SilentWorkflow[];
  readonly hanging: readonly OfWorkflow<HangingRun>[];
  readonly unusual: readonly OfWorkflow<UnusualRuns>[];
  readonly unhandled: readonly Unhandled[];
  /** The first workflows: those with failures, then those with most runs. */
  readonly workflows: Readonly<ReturnType<typeof runsByWorkflow>>;
  /** Failures are those of all groups plus the repeats, including executions canceled by a time limit. */
  readonly totals: { readonly workflows: number; readonly runs: number; readonly failures: number };
  /** If the window has more runs than can be held: totals, workflows and series cover runs from then on, epoch ms. */
  readonly countedSince: number | null;
  readonly series: RunSeries;
  readonly names: Readonly<Record<string, string>>;
  /** Hanging runs that began earlier may be unknown, epoch ms; null if all is known, or the window has ended. */
  readonly hangingSince: number | null;
  /** If n8n may have deleted part of the previous window: the oldest known start, epoch ms. */
  readonly oldest: number | null;
  /** The end of a window that is over, epoch ms. */
  readonly endedAt: number | null;
  /** Start of the time from which usual values were derived, epoch ms. */
  readonly usualSince: number;
  /** Executions that wait to begin; null if there are none, or the window has ended. */
  readonly queue: QueueFacts | null;
}

/** Two weeks contain each day and weekend twice; earlier habits may have changed. */
const USUAL_MS = 14 * DAY_MS;
/** Long enough for a monthly schedule that has missed one start. */
const RARE_MS = 63 * DAY_MS;
const MAX_EXECUTIONS = 30;
const MAX_WORKFLOWS = 50;

/** @throws ObserverError an `N8N_…` code when n8n failed before anything was known */
export async function failuresInHistory(
  query: FailureQuery,
  dependencies: FailureDependencies,
): Promise<HistoryFailures> {
  const { known, sources } = dependencies;
  const { workflowId, isByText } = query;
  const before = shifted(query.window, query.window.from - query.window.to);
  const covering = cover(workflowId, before.from, query, dependencies);
  const listing = query.isUntilNow && query.group === null ? dependencies.published() : null;
  const covered = await covering;
  const { asOf, knownSince } = covered;
  const published = await listing;
  const ids = new IdBounds(known.sql, dependencies.store.listed.hasFormer);
  const failures = new FailureRows(known.sql, ids);
  const runs = new RunRows(known.sql, ids);
  const window = untilNewest(query, dependencies);
  const allSince = await knownBack(dependencies, ids, knownSince ?? window.to);
  const oldest = ids.oldestStart();
  const usualFrom = Math.max(window.from - USUAL_MS, allSince);
  // Even if all that n8n has is known, it may have deleted earlier executions.
  const isCut = mayLackStart({ from: usualFrom, to: window.from }, oldest);
  const usualSince = isCut ? Math.max(usualFrom, oldest) : usualFrom;
  const asked = { workflowId, window };
  const { workflows: all, cutAt } = await runs.newest(
    asked,
    Math.min(usualSince, window.from),
    isByText,
    dependencies.thread.giveWay,
  );
  // Executions beyond a gap are counted, but do not show what is usual or over.
  const workflows = allSince <= window.from ? all : runsSince(all, usualSince);
  const judgedSince = Math.max(usualSince, cutAt ?? usualSince);
  const failed = failedRuns(workflows, window);
  const groups = failures.groups(asked, before, isByText).map((group) => ({
    ...group,
    group: groupId(group, sources),
    since: sinceGroup(group, failed, workflows, asOf),
  }));
  const unfinished = query.isUntilNow ? runs.unfinished(workflowId) : [];
  const rare = runs.lastOf(rarelyRun(workflowId, workflows, published), {
    from: Math.max(allSince, asOf - RARE_MS),
    to: window.to,
  });
  const wanted = groups.find(({ group }) => group === query.group);
  const runsOfEach = runsByWorkflow(all, window);
  const lastFailure = groups.length > 0 ? null : lastFailureOf(workflows, asOf);
  const found = {
    groups,
    unhandled: failures.unhandled(asked, judgedSince),
    failedLater: failures.failedLater(asked, Math.min(usualFrom, window.from), MAX_EXECUTIONS),
    workflows: runsOfEach.slice(0, MAX_WORKFLOWS),
    incidents: findIncidents({ workflows, window, asOf }),
    // Unfinished runs began at any time.
    hanging: hangingIn([...workflows, ...unfinished], asOf),
    unusual: unusualIn(workflows, window, { from: judgedSince, to: window.from }),
    silent: [
      ...silentWorkflows([...workflows, ...rare], published, { asOf, knownSince: judgedSince, window }),
      ...triedOut(runs.byHand(asked), workflows, published),
    ],
  };
  return {
    ...found,
    ...failures.counts(asked),
    groupCount: groups[0]?.groupCount ?? 0,
    editorRuns: runs.triedOutCount(asked),
    lastRunAt: lastStart([...workflows, ...rare]),
    lastFailure,
    executions: wanted === undefined ? null : failures.executionsOf(wanted, asked, isByText, MAX_EXECUTIONS),
    totals: totalsOf(runsOfEach),
    countedSince: cutAt !== null && cutAt > window.from ? cutAt : null,
    series: seriesOf(all, window),
    names: namesIn({ ...found, last: [lastFailure ?? []].flat() }, published, runs.workflowNames(usualFrom)),
    hangingSince: query.isUntilNow && Number.isFinite(allSince) ? allSince : null,
    ...covered,
    endedAt: query.isUntilNow ? null : window.to,
    usualSince: judgedSince,
    oldest: mayLackStart(before, oldest) ? oldest : null,
    queue: query.isUntilNow ? known.queue : null,
  };
}

/** Epoch ms from which everything is known and visible, at the latest from what this call has covered. */
async function knownBack(
  { store, sources }: FailureDependencies,
  ids: IdBounds,
  covered: number,
): Promise<number> {
  const [newest] = store.stretches.of(await scopeOf(sources.capabilities));
  if (newest === undefined) return covered;
  return newest.isBottom ? Number.NEGATIVE_INFINITY : Math.min(covered, ids.startFrom(newest.low) ?? covered);
}

function groupId(group: FailureGroup, { digest }: ScanSources): string {
  const { workflowId, nodeName, status, errorClass, httpStatus, fingerprint } = group;
  const place = fingerprint === null ? [workflowId, nodeName] : [];
  const facts = [...place, status, errorClass, httpStatus, fingerprint];
  return `f-${digest(`group of failures\n${JSON.stringify(facts)}`).slice(0, 10)}`;
}

type Cause = Pick<FailureGroup, "workflowId" | "nodeName" | "fingerprint" | "errorClass" | "httpStatus"> &
  Pick<Run, "status">;

/** Groups like `FailureRows.groups`. */
function causeOf({ workflowId, nodeName, status, fingerprint, errorClass, httpStatus }: Cause): string {
  const place = fingerprint === null ? [nodeName, workflowId] : [];
  // Runs canceled by a time limit count as failed.
  const failedAs = status === "canceled" ? "error" : status;
  return JSON.stringify([failedAs, errorClass, httpStatus, fingerprint, ...place]);
}

/** The failures of the window by cause, so that each group need not search all runs. */
function failedRuns(workflows: readonly WorkflowRuns[], window: Span) {
  const all = workflows.flatMap((workflow) =>
    workflow.runs.flatMap((run) => {
      const { failure, startedAt, status } = run;
      if (failure === null || !isIn(window, startedAt)) return [];
      const { node: nodeName, cause: fingerprint } = failure;
      const { workflowId } = workflow;
      return { run, workflow, cause: causeOf({ ...failure, nodeName, status, fingerprint, workflowId }) };
    }),
  );
  return Map.groupBy(all, ({ cause }) => cause);
}

function sinceGroup(
  group: FailureGroup,
  failed: ReturnType<typeof failedRuns>,
  workflows: readonly WorkflowRuns[],
  asOf: number,
): Aftermath {
  const ofGroup = failed.get(causeOf(group)) ?? [];
  // Empty if the window has more runs than are held, and these failed earlier.
  const own =
    ofGroup.length > 0
      ? [...new Set(ofGroup.map(({ workflow }) => workflow))]
      : workflows.filter(({ workflowId }) => workflowId === group.workflowId);
  return aftermathOf(
    ofGroup.map(({ run }) => run),
    own,
    asOf,
  );
}

const runsSince = (workflows: readonly WorkflowRuns[], from: number): WorkflowRuns[] =>
  workflows
    .map(({ workflowId, runs }) => ({ workflowId, runs: runs.filter(({ startedAt }) => startedAt >= from) }))
    .filter(({ runs }) => runs.length > 0);

function lastStart(workflows: readonly WorkflowRuns[]): number | null {
  const starts = workflows.flatMap(({ runs }) => runs[0]?.startedAt ?? []);
  return starts.length === 0 ? null : Math.max(...starts);
}

/** Workflows without a usual run: the requested one, or scheduled ones without a usual run by a trigger. */
function rarelyRun(
  workflowId: string | null,
  workflows: readonly WorkflowRuns[],
  published: KnownWorkflows | null,
): string[] {
  const hasRun = (id: string, matches: (run: Run) => boolean): boolean =>
    workflows.some((each) => each.workflowId === id && each.runs.some(matches));
  const scheduled = (published?.workflows ?? [])
    .filter(({ id, schedules }) => schedules.length > 0 && (workflowId ?? id) === id)
    .map(({ id }) => id)
    .filter((id) => !hasRun(id, ({ mode }) => mode === "trigger"));
  const asked = workflowId === null || hasRun(workflowId, () => true) ? [] : [workflowId];
  return [...new Set([...scheduled, ...asked])];
}

function lastFailureOf(workflows: readonly WorkflowRuns[], asOf: number): HistoryFailures["lastFailure"] {
  const ofEach = workflows.flatMap((each) => {
    const failed = each.runs.filter(({ failure }) => failure !== null);
    return failed[0] === undefined ? [] : [{ each, failed, last: failed[0] }];
  });
  const [found] = ofEach.toSorted((one, other) => other.last.startedAt - one.last.startedAt);
  if (found === undefined) return null;
  const { each, failed, last } = found;
  const { workflowId } = each;
  const since = aftermathOf(failed, [each], asOf);
  return { group: "", workflowId, nodeName: last.failure?.node ?? null, startedAt: last.startedAt, since };
}

/** @param workflows may name a workflow twice, and a run in both: then its first values count */
function hangingIn(workflows: readonly WorkflowRuns[], asOf: number): OfWorkflow<HangingRun>[] {
  const parts = Map.groupBy(workflows, ({ workflowId }) => workflowId);
  return [...parts].flatMap(([workflowId, lists]) => {
    const distinct = new Map(lists.reverse().flatMap(({ runs }) => runs.map((run) => [run.id, run])));
    return hangingRuns([...distinct.values()], asOf).map((run) => ({ ...run, workflowId }));
  });
}

const unusualIn = (
  workflows: readonly WorkflowRuns[],
  window: Span,
  usual: Span,
): OfWorkflow<UnusualRuns>[] =>
  workflows.flatMap(({ workflowId, runs }) =>
    unusualRuns(runs, window, usual).map((found) => ({ ...found, workflowId })),
  );

const totalsOf = (all: ReturnType<typeof runsByWorkflow>) => ({
  workflows: all.length,
  runs: sumOf(all, ({ runs }) => runs),
  failures: sumOf(all, ({ failures }) => failures),
});

function runsByWorkflow(workflows: readonly WorkflowRuns[], window: Span) {
  return workflows
    .map(({ workflowId, runs }) => {
      const own = runs.filter(({ startedAt }) => isIn(window, startedAt));
      const durations = durationsOf(own.filter(({ status }) => status === "success"));
      return {
        workflowId,
        runs: own.length,
        failures: own.filter(hasFailed).length,
        caught: own.filter(({ status, caught }) => status === "success" && (caught ?? 0) > 0).length,
        /** Milliseconds, of successful runs. */
        medianMs: median(durations),
        p95Ms: quantile(durations, 0.95),
      };
    })
    .filter(({ runs }) => runs > 0)
    .toSorted((a, b) => b.failures - a.failures || b.runs - a.runs);
}

type Listed = "groups" | "failedLater" | "silent" | "hanging" | "unusual" | "workflows" | "unhandled";
type Last = { readonly last: readonly Pick<WorkflowRuns, "workflowId">[] };

/** The names of the workflows in these lists, by id: as n8n lists them, else as they ran last. */
function namesIn(
  { incidents, ...found }: Pick<HistoryFailures, Listed | "incidents"> & Last,
  published: KnownWorkflows | null,
  lately: ReadonlyMap<string, string>,
): Record<string, string> {
  const names = new Map([
    ...lately,
    ...(published?.workflows ?? []).map(({ id, name }) => [id, name] as const),
  ]);
  const ids = new Set([
    ...Object.values(found).flatMap((list) => list.map(({ workflowId }) => workflowId)),
    ...incidents.flatMap(({ workflowIds }) => workflowIds),
  ]);
  return Object.fromEntries([...names].filter(([id]) => ids.has(id)));
}
