/**
 * "What broke, and what is silent?", as far as the history of one n8n goes: what is new is looked at, then its rows are
 * asked. The feature puts it into words.
 */
import type { KnownWorkflows } from "../../n8n/unsaved-workflows.ts";
import { DAY_MS } from "../../platform/durations.ts";
import { sumOf } from "../../platform/sum-of.ts";
import type { QueueFacts } from "../report/index-report.ts";
import type { Coverage } from "../scan/coverage.ts";
import type { QueryDependencies } from "../scan/query-dependencies.ts";
import { type ScanSources, scopeOf } from "../scan/shared-scans.ts";
import type { StopFacts } from "../scan/stop-facts.ts";
import { type Aftermath, aftermathOf } from "./aftermath.ts";
import { type AskedWindow, cover, type KnownAsOf, untilNewest } from "./cover-window.ts";
import {
  DigestRows,
  type FailedExecution,
  type FailureCounts,
  type FailureGroup,
  type Unhandled,
} from "./digest-rows.ts";
import { findIncidents } from "./incidents/find-incidents.ts";
import type { Incident } from "./incidents/incident.ts";
import { durationOf, isIn, mayLackStart, type Run, type Span, shifted, type WorkflowRuns } from "./run.ts";
import { hasFailed, type RunSeries, seriesOf } from "./run-series.ts";
import type { SilentWorkflow } from "./silence.ts";
import { silentWorkflows, triedOut } from "./silent-workflows.ts";
import { median, quantile } from "./statistics.ts";
import { type HangingRun, hangingRuns, type UnusualRuns, unusualRuns } from "./unusual-runs.ts";

export interface FailureQuery extends AskedWindow {
  readonly workflowId: string | null;
  /** The id of a group whose executions are wanted. */
  readonly group: string | null;
  /**
   * Whether errors of one class are told apart by their text. For callers who may not see it they are one group: else
   * someone who can make a workflow fail with a name could see whether another failed with it.
   */
  readonly isByText: boolean;
  readonly timeBudgetMs: number;
}

export interface FailureDependencies extends QueryDependencies {
  /** Null when n8n fails to say it. */
  readonly published: () => Promise<KnownWorkflows | null>;
}

/** A group has the same id at any time and for any caller. */
export interface NamedGroup extends FailureGroup {
  readonly group: string;
}

/** A group, and what ran since in the workflows that it failed. */
export interface FollowedGroup extends NamedGroup {
  readonly since: Aftermath;
}
export type Followable = Pick<FollowedGroup, "group" | "nodeName" | "since">;

type OfWorkflow<Found> = Found & { readonly workflowId: string };

export interface HistoryFailures extends FailureCounts {
  readonly groups: readonly FollowedGroup[];
  /** Of these, only so many are read. */
  readonly groupCount: number;
  readonly incidents: readonly Incident[];
  /** What failed in the window and began before, the last to end first: it is counted where it began. */
  readonly failedLater: readonly FailedExecution[];
  /** If one workflow was asked for and did not fail in the window: its last failure before, and what ran since. */
  readonly lastFailure: (Followable & Pick<Run, "startedAt">) | null;
  /** If one workflow was asked for: when it ran last, epoch ms. */
  readonly lastRunAt: number | null;
  /** Executions of the wanted group; null when none was wanted. */
  readonly executions: readonly FailedExecution[] | null;
  readonly silent: readonly SilentWorkflow[];
  readonly hanging: readonly OfWorkflow<HangingRun>[];
  readonly unusual: readonly OfWorkflow<UnusualRuns>[];
  readonly unhandled: readonly Unhandled[];
  /** The first of them: with failures, then with most runs. */
  readonly workflows: Readonly<ReturnType<typeof runsByWorkflow>>;
  /** Failures are those of all groups and the repeats, among them what a time limit canceled. */
  readonly totals: { readonly workflows: number; readonly runs: number; readonly failures: number };
  /** Of a window with more runs than are held: totals, workflows and series are of what began since then, epoch ms. */
  readonly countedSince: number | null;
  readonly series: RunSeries;
  readonly names: Readonly<Record<string, string>>;
  /** What began before may hang unknown, epoch ms; null when all is known, or the window has ended. */
  readonly hangingSince: number | null;
  /** If n8n may have deleted a part of the window before: the oldest start that is known, epoch ms. */
  readonly oldest: number | null;
  /** Everything is known from then on, epoch ms: at best the start of the window before. */
  readonly knownSince: number | null;
  /** Nothing is known after that, epoch ms: what seems silent may have run since. */
  readonly asOf: number;
  readonly knownAsOf: KnownAsOf;
  /** Some of those that had not ended are known only as they were before. */
  readonly isOutdated: boolean;
  /** Some are in a form that is not known. */
  readonly lacksUnknown: boolean;
  /** The end of a window that is over, epoch ms. */
  readonly endedAt: number | null;
  /** What is usual was learnt from then on, epoch ms. */
  readonly usualSince: number;
  readonly coverage: Coverage;
  /** What waits to begin; null when nothing does, or the window has ended. */
  readonly queue: QueueFacts | null;
  readonly stop: StopFacts;
}

/** Two weeks hold each day and weekend twice; what was usual before may have changed. */
const USUAL_MS = 14 * DAY_MS;
/** A monthly schedule that has missed one. */
const SELDOM_MS = 63 * DAY_MS;
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
  const { coverage, ...how } = await covering;
  const { asOf, knownSince } = how;
  const published = await listing;
  const rows = new DigestRows(known.sql, dependencies.store.listed.hasFormer);
  const window = untilNewest(query, dependencies);
  const allSince = await knownBack(dependencies, rows, knownSince ?? window.to);
  const oldest = rows.oldestStart();
  const usualFrom = Math.max(window.from - USUAL_MS, allSince);
  // Where all that n8n has is known, what it had deleted before is not.
  const isCut = mayLackStart({ from: usualFrom, to: window.from }, oldest);
  const usualSince = isCut ? Math.max(usualFrom, oldest) : usualFrom;
  const asked = { workflowId, window };
  const { workflows: all, cutAt } = await rows.runs(
    asked,
    Math.min(usualSince, window.from),
    isByText,
    dependencies.thread.giveWay,
  );
  // What is known beyond a gap is counted, and tells nothing of what is usual or over.
  const workflows = allSince <= window.from ? all : runsSince(all, usualSince);
  const isUsualFrom = Math.max(usualSince, cutAt ?? usualSince);
  const failed = failedRuns(workflows, window);
  const groups = rows.groups(asked, before, isByText).map((group) => ({
    ...group,
    group: groupId(group, sources),
    since: sinceGroup(group, failed, workflows, asOf),
  }));
  const unfinished = query.isUntilNow ? rows.unfinished(workflowId) : [];
  const seldom = rows.lastRuns(seldomRun(workflowId, workflows, published), {
    from: Math.max(allSince, asOf - SELDOM_MS),
    to: window.to,
  });
  const judged = judge({ workflows, seldom, unfinished }, published, {
    window,
    asOf,
    usualSince: isUsualFrom,
  });
  const wanted = groups.find(({ group }) => group === query.group);
  const runsOfEach = runsByWorkflow(all, window);
  const found = {
    groups,
    unhandled: rows.unhandled(asked, isUsualFrom),
    failedLater: rows.failedLater(asked, Math.min(usualFrom, window.from), MAX_EXECUTIONS),
    workflows: runsOfEach.slice(0, MAX_WORKFLOWS),
    ...judged,
    silent: [...judged.silent, ...triedOut(rows.byHand(asked), workflows, published)],
  };
  return {
    ...found,
    ...rows.counts(asked),
    groupCount: groups[0]?.groupCount ?? 0,
    lastRunAt: workflowId === null ? null : lastStart([...workflows, ...seldom]),
    lastFailure: workflowId === null || groups.length > 0 ? null : lastFailureOf(workflows, asOf),
    executions: wanted === undefined ? null : rows.executionsOf(wanted, asked, isByText, MAX_EXECUTIONS),
    totals: totalsOf(runsOfEach),
    countedSince: cutAt !== null && cutAt > window.from ? cutAt : null,
    series: seriesOf(all, window),
    names: namesIn(found, published, rows.names(usualFrom)),
    hangingSince: query.isUntilNow && Number.isFinite(allSince) ? allSince : null,
    ...how,
    endedAt: query.isUntilNow ? null : window.to,
    usualSince: isUsualFrom,
    coverage,
    oldest: mayLackStart(before, oldest) ? oldest : null,
    queue: query.isUntilNow ? known.queue : null,
  };
}

/** Epoch ms from which everything is known without asking, as what may be seen tells; at the latest what this call has covered. */
async function knownBack(
  { store, sources }: FailureDependencies,
  rows: DigestRows,
  covered: number,
): Promise<number> {
  const [newest] = store.stretches.of(await scopeOf(sources.capabilities));
  if (newest === undefined) return covered;
  return newest.isBottom
    ? Number.NEGATIVE_INFINITY
    : Math.min(covered, rows.startFrom(newest.low) ?? covered);
}

function groupId(group: FailureGroup, { digest }: ScanSources): string {
  const { workflowId, nodeName, status, errorClass, httpStatus, fingerprint } = group;
  const place = fingerprint === null ? [workflowId, nodeName] : [];
  const facts = [...place, status, errorClass, httpStatus, fingerprint];
  return `f-${digest(`group of failures\n${JSON.stringify(facts)}`).slice(0, 10)}`;
}

type Cause = Pick<FailureGroup, "workflowId" | "nodeName" | "fingerprint" | "errorClass" | "httpStatus"> &
  Pick<Run, "status">;
type FailedRuns = ReadonlyMap<string, ReadonlyMap<WorkflowRuns, readonly Run[]>>;

/** Matches as `DigestRows.groups` does. */
function causeOf({ workflowId, nodeName, status, fingerprint, errorClass, httpStatus }: Cause): string {
  const place = fingerprint === null ? [nodeName, workflowId] : [];
  // Runs count what a time limit canceled as failed.
  const failedAs = status === "canceled" ? "error" : status;
  return JSON.stringify([failedAs, errorClass, httpStatus, fingerprint, ...place]);
}

/** What failed in the window, by its cause: each group would walk over all runs. */
function failedRuns(workflows: readonly WorkflowRuns[], window: Span): FailedRuns {
  const all = new Map<string, Map<WorkflowRuns, Run[]>>();
  for (const workflow of workflows)
    for (const run of workflow.runs) {
      const { failure, startedAt, status } = run;
      if (failure === null || !isIn(window, startedAt)) continue;
      const { node: nodeName, cause: fingerprint } = failure;
      const cause = causeOf({ ...failure, nodeName, status, fingerprint, workflowId: workflow.workflowId });
      const own = all.get(cause) ?? new Map<WorkflowRuns, Run[]>();
      const runs = own.get(workflow) ?? [];
      runs.push(run);
      all.set(cause, own.set(workflow, runs));
    }
  return all;
}

function sinceGroup(
  group: FailureGroup,
  failed: FailedRuns,
  workflows: readonly WorkflowRuns[],
  asOf: number,
): Aftermath {
  const its = failed.get(causeOf(group)) ?? new Map<WorkflowRuns, readonly Run[]>();
  // Of more runs than are held, these failed before.
  const own =
    its.size > 0 ? [...its.keys()] : workflows.filter((each) => each.workflowId === group.workflowId);
  return aftermathOf([...its.values()].flat(), own, asOf);
}

const runsSince = (workflows: readonly WorkflowRuns[], from: number): WorkflowRuns[] =>
  workflows
    .map(({ workflowId, runs }) => ({ workflowId, runs: runs.filter(({ startedAt }) => startedAt >= from) }))
    .filter(({ runs }) => runs.length > 0);

const lastStart = (workflows: readonly WorkflowRuns[]): number | null =>
  workflows[0]?.runs[0]?.startedAt ?? null;

/** Those without a usual run, of which one is asked for; or that have a schedule, and no usual run by a trigger. */
function seldomRun(
  workflowId: string | null,
  workflows: readonly WorkflowRuns[],
  published: KnownWorkflows | null,
): string[] {
  const hasRun = (id: string, isSo: (run: Run) => boolean): boolean =>
    workflows.some((each) => each.workflowId === id && each.runs.some(isSo));
  const scheduled = (published?.workflows ?? [])
    .filter(({ id, schedules }) => schedules.length > 0 && (workflowId ?? id) === id)
    .map(({ id }) => id)
    .filter((id) => !hasRun(id, ({ mode }) => mode === "trigger"));
  const asked = workflowId === null || hasRun(workflowId, () => true) ? [] : [workflowId];
  return [...new Set([...scheduled, ...asked])];
}

function lastFailureOf(workflows: readonly WorkflowRuns[], asOf: number): HistoryFailures["lastFailure"] {
  const failed = workflows.flatMap(({ runs }) => runs.filter(({ failure }) => failure !== null));
  const [last] = failed;
  if (last === undefined) return null;
  const nodeName = last.failure?.node ?? null;
  return { group: "", nodeName, startedAt: last.startedAt, since: aftermathOf(failed, workflows, asOf) };
}

type Judged = Pick<HistoryFailures, "silent" | "hanging" | "unusual" | "incidents">;

interface Judgeable {
  readonly workflows: readonly WorkflowRuns[];
  /** The last runs of those that have no usual one. */
  readonly seldom: readonly WorkflowRuns[];
  /** Runs that began at any time, newest first. */
  readonly unfinished: readonly WorkflowRuns[];
}

function judge(
  { workflows, seldom, unfinished }: Judgeable,
  published: KnownWorkflows | null,
  { window, asOf, usualSince }: { window: Span; asOf: number; usualSince: number },
): Judged {
  const usual = { from: usualSince, to: window.from };
  const parts = Map.groupBy([...workflows, ...unfinished], ({ workflowId }) => workflowId);
  const hanging = [...parts].flatMap(([workflowId, lists]) => {
    const distinct = new Map(lists.reverse().flatMap(({ runs }) => runs.map((run) => [run.id, run])));
    return hangingRuns([...distinct.values()], asOf).map((run) => ({ ...run, workflowId }));
  });
  return {
    incidents: findIncidents({ workflows, window, asOf }),
    silent: silentWorkflows([...workflows, ...seldom], published, { asOf, knownSince: usualSince, window }),
    hanging,
    unusual: workflows.flatMap(({ workflowId, runs }) =>
      unusualRuns(runs, window, usual).map((found) => ({ ...found, workflowId })),
    ),
  };
}

const totalsOf = (all: ReturnType<typeof runsByWorkflow>) => ({
  workflows: all.length,
  runs: sumOf(all, ({ runs }) => runs),
  failures: sumOf(all, ({ failures }) => failures),
});

function runsByWorkflow(workflows: readonly WorkflowRuns[], window: Span) {
  return workflows
    .map(({ workflowId, runs }) => {
      const own = runs.filter(({ startedAt }) => isIn(window, startedAt));
      const durations = own
        .filter(({ status }) => status === "success")
        .flatMap((run) => durationOf(run) ?? []);
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

/** The names of the workflows in these lists: the last names that are known, by id. */
function namesIn(
  { incidents, ...found }: Pick<HistoryFailures, Listed | "incidents">,
  published: KnownWorkflows | null,
  lately: ReadonlyMap<string, string>,
): Record<string, string> {
  const names = new Map([
    ...(published?.workflows ?? []).map(({ id, name }) => [id, name] as const),
    ...lately,
  ]);
  const ids = [
    ...Object.values(found).flatMap((list) => list.map(({ workflowId }) => workflowId)),
    ...incidents.flatMap(({ workflowIds }) => workflowIds),
  ];
  return Object.fromEntries(
    ids.flatMap((id) => {
      const name = names.get(id);
      return name === undefined ? [] : [[id, name]];
    }),
  );
}
