/** The data of a digest: no more of each kind than a reader looks at, and a count of the others. Pure. */
import type { HistoryFailures, NamedGroup } from "../../history/digest/failure-query.ts";
import type { N8nUrls } from "../../n8n/n8n-urls.ts";
import { displayName } from "../../platform/display-name.ts";
import type { Digest } from "./digest-sentence.ts";
import type { Explained } from "./examples.ts";

const MAX_GROUPS = 8;
const MAX_FOUND = 5;
const MAX_WORKFLOWS = 8;

const iso = (time: number): string => new Date(time).toISOString();

export interface AnswerParts {
  readonly urls: N8nUrls;
  readonly explained: ReadonlyMap<string, Explained>;
}

/** Lists of which not all are told say how many there are. */
function first<One, Shown>(all: readonly One[], most: number, show: (one: One) => Shown) {
  return { shown: all.slice(0, most).map(show), notShown: Math.max(0, all.length - most) };
}

export function digestData(digest: Digest, { urls, explained }: AnswerParts) {
  const named = ({ workflowId }: { readonly workflowId: string }) => ({
    workflowId,
    workflowName: shownName(digest.names[workflowId]),
  });
  const example = (workflowId: string, executionId: string) => ({
    executionId,
    url: urls.execution(workflowId, executionId),
  });
  const lists = {
    groups: first(digest.groups, MAX_GROUPS, (group) => ({
      ...named(group),
      ...groupFacts(group),
      ...explained.get(group.group),
      ...example(group.workflowId, group.exampleId),
      ...(group.isExampleGone ? { deletedByN8n: true } : {}),
    })),
    silent: first(digest.silent, MAX_FOUND, (each) => ({
      ...named(each),
      kind: each.kind,
      lastStartedAt: iso(each.lastAt),
      usualGapMs: each.usualGapMs,
      expectedRuns: each.expectedRuns,
      ...(each.isPublished === null ? {} : { isPublished: each.isPublished }),
      ...example(each.workflowId, each.lastId),
    })),
    hanging: first(digest.hanging, MAX_FOUND, (each) => ({
      ...named(each),
      kind: each.kind,
      startedAt: iso(each.startedAt),
      forMs: each.forMs,
      usualMs: each.usualMs,
      ...example(each.workflowId, each.id),
    })),
    unusual: first(digest.unusual, MAX_FOUND, (each) => ({
      ...named(each),
      kind: each.kind,
      runs: each.now.count,
      ofRuns: each.now.of,
      usualRuns: each.usual.count,
      usualOfRuns: each.usual.of,
      ...(each.medianUsual === null ? {} : { median: each.medianNow, usualMedian: each.medianUsual }),
      ...example(each.workflowId, each.exampleId),
    })),
    unhandled: first(digest.unhandled, MAX_FOUND, (each) => ({
      ...named(each),
      failures: each.failures,
      handled: each.handled,
      errorWorkflowId: each.errorWorkflowId,
      reason: each.reason,
      ...example(each.workflowId, each.exampleId),
    })),
    workflows: first(digest.workflows, MAX_WORKFLOWS, ({ workflowId, ...totals }) => ({
      ...named({ workflowId }),
      ...totals,
    })),
  };
  const { groups, silent, hanging, unusual, unhandled, workflows } = lists;
  const workflowsNotShown = digest.totals.workflows - workflows.shown.length;
  const notShown = {
    ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.notShown])),
    workflows: workflowsNotShown,
  };
  return {
    groups: groups.shown,
    silent: silent.shown,
    hanging: hanging.shown,
    unusual: unusual.shown,
    unhandled: unhandled.shown,
    workflows: workflows.shown,
    totals: { ...digest.totals, failuresOfCallers: digest.repeats },
    notShown: Object.fromEntries(Object.entries(notShown).filter(([, count]) => count > 0)),
  };
}

export const shownName = (name: string | undefined): string | null =>
  name === undefined ? null : displayName(name);

/** Without what it does not have. */
export function groupFacts(group: NamedGroup) {
  const { status, nodeName, errorClass, httpStatus } = group;
  return {
    group: group.group,
    ...(status === "error" ? {} : { status }),
    nodeName: nodeName === null ? null : displayName(nodeName),
    ...(errorClass === null ? {} : { errorClass }),
    ...(httpStatus === null ? {} : { httpStatus }),
    count: group.count,
    before: group.before,
    first: group.first,
    last: group.last,
    ...(group.mended === 0 ? {} : { mended: group.mended }),
  };
}

/** The executions of one group. */
export function groupExecutions(digest: HistoryFailures, { workflowId }: NamedGroup, urls: N8nUrls) {
  const executions = digest.executions ?? [];
  return executions.map(({ id, mode, startedAt, stoppedAt, isMended, isGone }) => ({
    id,
    mode,
    startedAt,
    durationMs: stoppedAt === null ? null : Math.max(0, Date.parse(stoppedAt) - Date.parse(startedAt)),
    ...(isMended ? { mended: true } : {}),
    ...(isGone ? { deletedByN8n: true } : {}),
    url: urls.execution(workflowId, id),
  }));
}
