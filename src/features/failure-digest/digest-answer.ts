/**
 * Writes the answer of a digest: one sentence on what broke and what is silent (names, counts and times, no payload), the
 * most important entries of each kind, and a count of the others. Pure.
 */
import type { Followable, FollowedGroup, HistoryFailures } from "../../history/digest/failure-query.ts";
import { iso, mayLackStart, type Span } from "../../history/digest/run.ts";
import type { N8nUrls } from "../../n8n/n8n-urls.ts";
import { counted } from "../../platform/counted.ts";
import { displayName, quoted } from "../../platform/display-name.ts";
import { sumOf } from "../../platform/sum-of.ts";
import { editorRunsSentence, howToReadOn, knownAsOfSentence } from "../history-scan.ts";
import { queueSentence } from "../queue-sentence.ts";
import { withoutNull } from "../shown.ts";
import { sparklineOf } from "../sparkline.ts";
import type { CheckedSilence, Explained, Followed, UnhandledFailures } from "./digest-lookups.ts";
import { describeIncidents, type IncidentSources, stateOf } from "./incident-answer.ts";

export interface Digest extends Omit<HistoryFailures, "silent" | "unhandled">, IncidentSources {
  readonly silent: readonly CheckedSilence[];
  readonly unhandled: readonly UnhandledFailures[];
  /** Later successes that were read, by group. */
  readonly followed: ReadonlyMap<string, Followed>;
  readonly isOneWorkflow: boolean;
}

export const MAX_GROUPS = 20;
const MAX_INCIDENTS_SAID = 3;
const MAX_FOUND = 5;
const MAX_WORKFLOWS = 8;

const first = <One, Shown>(all: readonly One[], show: (one: One) => Shown): Shown[] =>
  all.slice(0, MAX_FOUND).map(show);

/** @param groupsShown the groups of the requested page, in order */
export function digestData(
  digest: Digest,
  groupsShown: readonly FollowedGroup[],
  explained: ReadonlyMap<string, Explained>,
  urls: N8nUrls,
) {
  const named = ({ workflowId }: { readonly workflowId: string }) => ({
    workflowId,
    workflowName: shownName(digest.names[workflowId]),
  });
  const example = (workflowId: string, executionId: string) => ({
    executionId,
    url: urls.execution(workflowId, executionId),
  });
  const incidents = describeIncidents(digest, urls);
  const shown = {
    incidents: incidents.slice(0, MAX_FOUND),
    groups: groupsShown.slice(0, MAX_GROUPS).map((group) => ({
      ...named(group),
      ...groupFacts(group),
      ...explained.get(group.group),
      ...example(group.workflowId, group.exampleId),
      deletedByN8n: group.isExampleGone || undefined,
    })),
    failedLater: first(digest.failedLater, (each) => ({
      ...named(each),
      startedAt: each.startedAt,
      stoppedAt: each.stoppedAt,
      deletedByN8n: each.isGone || undefined,
      ...example(each.workflowId, each.id),
    })),
    silent: first(digest.silent, (each) => ({
      ...named(each),
      kind: each.kind,
      lastStartedAt: iso(each.lastAt),
      dueAt: each.dueAt === null ? undefined : iso(each.dueAt),
      usualGapMs: each.usualGapMs,
      expectedRuns: each.expectedRuns,
      isPublished: each.isPublished ?? undefined,
      ...example(each.workflowId, each.lastId),
    })),
    hanging: first(digest.hanging, (each) => ({
      ...named(each),
      kind: each.kind,
      startedAt: iso(each.startedAt),
      forMs: each.forMs,
      usualMs: each.usualMs,
      ...example(each.workflowId, each.id),
    })),
    unusual: first(digest.unusual, (each) => ({
      ...named(each),
      kind: each.kind,
      runs: each.now.count,
      ofRuns: each.now.of,
      usualRuns: each.usual.count,
      usualOfRuns: each.usual.of,
      ...(each.medianUsual === null ? {} : { median: each.medianNow, usualMedian: each.medianUsual }),
      ...example(each.workflowId, each.exampleId),
    })),
    unhandled: first(digest.unhandled, (each) => ({
      ...named(each),
      failures: each.failures,
      handled: each.handled,
      errorWorkflowId: each.errorWorkflowId,
      reason: each.reason,
      ...example(each.workflowId, each.exampleId),
    })),
    workflows: digest.workflows.slice(0, MAX_WORKFLOWS).map((each) => ({ ...named(each), ...each })),
  };
  const { groupCount, totals, repeats, withoutData, ...lists } = digest;
  const counts: Readonly<Record<string, number>> = {
    incidents: incidents.length,
    groups: groupCount,
    failedLater: lists.failedLater.length,
    silent: lists.silent.length,
    hanging: lists.hanging.length,
    unusual: lists.unusual.length,
    unhandled: lists.unhandled.length,
    workflows: totals.workflows,
  } satisfies Record<keyof typeof shown, number>;
  const notShown = Object.entries(shown).map(([list, { length }]): [string, number] => [
    list,
    (counts[list] ?? 0) - length,
  ]);
  return {
    ...shown,
    failedLater: shown.failedLater.length === 0 ? undefined : shown.failedLater,
    totals: { ...totals, failuresOfCallers: repeats, withoutData: withoutData || undefined },
    series: shownSeries(digest),
    notShown: Object.fromEntries(notShown.filter(([, count]) => count > 0)),
  };
}

/** As numbers for a picture, and as one line of text. */
function shownSeries({ series: { by, from, runs, failures: failed }, totals }: Digest) {
  if (totals.runs === 0) return undefined;
  return { by, from: iso(from), runs, failures: failed, sparkline: sparklineOf(failed, "failures", by) };
}

const shownName = (name: string | undefined): string | null =>
  name === undefined ? null : displayName(name);

function groupFacts({ group, status, nodeName, errorClass, httpStatus, since, ...counts }: FollowedGroup) {
  return {
    group,
    status: status === "error" ? undefined : status,
    nodeName: nodeName === null ? null : displayName(nodeName),
    ...withoutNull({ errorClass, httpStatus }),
    workflows: counts.workflows === 1 ? undefined : counts.workflows,
    count: counts.count,
    before: counts.before,
    first: counts.first,
    last: counts.last,
    mended: counts.mended === 0 ? undefined : counts.mended,
    state: since.state,
    succeededSince: since.succeeded === 0 ? undefined : since.succeeded,
    edited: since.editedTo === null ? undefined : true,
  };
}

export function groupAnswer(digest: Digest, group: FollowedGroup, window: Span, urls: N8nUrls) {
  const { workflowId } = group;
  const executions = (digest.executions ?? []).map(
    ({ id, workflowId: ofWorkflow, mode, startedAt, stoppedAt, isMended, isGone }) => ({
      id,
      workflowId: ofWorkflow === workflowId ? undefined : ofWorkflow,
      mode,
      startedAt,
      durationMs: stoppedAt === null ? null : Math.max(0, Date.parse(stoppedAt) - Date.parse(startedAt)),
      mended: isMended || undefined,
      deletedByN8n: isGone || undefined,
      url: urls.execution(ofWorkflow, id),
    }),
  );
  const where = group.nodeName === null || group.workflows > 1 ? "" : ` at node ${quoted(group.nodeName)}`;
  const others = group.workflows > 1 ? ` and ${counted(group.workflows - 1, "other workflow")}` : "";
  const name = quoted(digest.names[workflowId] ?? workflowId) + others;
  const shown = executions.length < group.count ? `; the newest ${executions.length} are listed` : "";
  const workflowName = shownName(digest.names[workflowId]);
  const url = urls.execution(workflowId, group.exampleId);
  return {
    message: `${counted(group.count, "execution")} of ${name} failed${where} in the same way from ${group.first} to ${group.last}, ${group.before} ${inWindowBefore(digest.oldest)}; ${group.mended} were fixed by a retry${shown}. ${noneSince(group.last, digest)}: ${aftermathClause(group, digest)}.${knownSentence(digest, window)}`,
    data: { groups: [{ workflowId, workflowName, ...groupFacts(group), url }], executions },
  };
}

/** For a window in the past, nothing after its end was read. */
const noneSince = (last: string, { endedAt }: Digest): string =>
  endedAt === null ? `None since ${last}` : `None from ${last} to the window's end`;

const knownSentence = (digest: Digest, window: Span): string =>
  knownAsOfSentence(digest) + unknownSentence(digest, window);

function aftermathClause({ group, since }: Followable, digest: Digest): string {
  const found = digest.followed.get(group);
  const path =
    found === undefined || found.read === 0
      ? ""
      : `; ${found.throughNode} of the ${found.read} newest ran the node that had failed`;
  const edited = since.editedTo === null ? "" : `; they ran another version (${since.editedTo})`;
  return stateOf(since) + path + edited;
}

/**
 * What happened after the failures of a single workflow. If nothing failed in the window: the last failure before it, or
 * the last run.
 */
function afterwards(digest: Digest): string {
  const { lastFailure, lastRunAt, totals, isOneWorkflow, names } = digest;
  const [first] = digest.groups;
  if (first !== undefined)
    return digest.followed.has(first.group)
      ? ` ${noneSince(first.last, digest)}: ${aftermathClause(first, digest)}.`
      : "";
  if (lastFailure === null)
    return lastRunAt === null || totals.runs > 0
      ? ""
      : ` ${isOneWorkflow ? "It ran last" : "The last run began"} at ${iso(lastRunAt)}.`;
  const { startedAt, nodeName, workflowId } = lastFailure;
  const place = nodeName === null ? "" : ` at node ${quoted(nodeName)}`;
  const which = isOneWorkflow ? "It" : quoted(names[workflowId] ?? workflowId);
  return ` ${which} failed last at ${iso(startedAt)}${place}: ${aftermathClause(lastFailure, digest)}.`;
}

export function digestSentence(digest: Digest, { from, to }: Span, urls: N8nUrls) {
  const { totals, names, oldest, countedSince } = digest;
  const incidents = describeIncidents(digest, urls);
  const said = incidents.slice(0, MAX_INCIDENTS_SAID).map(({ says }) => says);
  const others = incidents.length - said.length;
  const found = [
    ...said,
    ...(others === 0 ? [] : [counted(others, "more incident")]),
    ...failureClauses(digest),
    ...failedLaterClauses(digest),
    ...kindClauses(digest.silent, SILENT, names),
    ...kindClauses(digest.hanging, HANGING, names),
    ...kindClauses(digest.unusual, UNUSUAL, names),
    ...kindClauses(
      digest.unhandled.map((each) => ({ ...each, kind: "unhandled" as const })),
      UNHANDLED,
      names,
    ),
  ];
  const since = countedSince === null ? "" : ` since ${iso(countedSince)}, and more before`;
  const ran = `${counted(totals.runs, "run")} of ${counted(totals.workflows, "workflow")}${since}`;
  const span = `From ${iso(from)} to ${iso(to)}`;
  const answer =
    found.length === 0
      ? `${span} nothing broke: ${ran}${totals.runs === 0 ? "" : ", none of which failed, hangs or is far from usual"}.`
      : `${span}: ${found.join("; ")}. In total: ${ran}.`;
  const isQueueReported = incidents.some(({ kind }) => kind === "queue");
  const waiting = digest.queue === null || isQueueReported ? "" : ` ${queueSentence(digest.queue)}`;
  const isUnknown = digest.groups.length === 0 && mayLackStart({ from, to }, oldest);
  const before = isUnknown ? ` Nothing is known from before ${iso(oldest)}.` : "";
  const known =
    editorRunsSentence(digest.editorRuns) + withoutDataSentence(digest) + knownSentence(digest, { from, to });
  return answer + before + afterwards(digest) + waiting + known;
}

function failureClauses({ groups, groupCount, repeats, failedWorkflows, oldest, totals }: Digest): string[] {
  if (groups.length === 0)
    return repeats === 0 ? [] : [`${counted(repeats, "execution")} failed because of what they called`];
  // Either may be too low: groups and runs beyond the limits are not read.
  const executions = Math.max(
    sumOf(groups, ({ count }) => count),
    totals.failures - repeats,
  );
  const before = sumOf(groups, (group) => group.before);
  const kindsOfFailure = counted(groupCount, "kind of failure", "kinds of failure");
  const repeated = repeats === 0 ? "" : `, and ${counted(repeats, "caller")} that failed because of them`;
  return [
    `${kindsOfFailure} in ${counted(failedWorkflows, "workflow")} (${counted(executions, "execution")}${repeated}; ${before} of these kinds ${inWindowBefore(oldest)})`,
  ];
}

function failedLaterClauses({ failedLater: [first, ...others], names }: Digest): string[] {
  if (first === undefined) return [];
  const name = others.length > 0 ? "" : ` (${quoted(names[first.workflowId] ?? first.workflowId)})`;
  return [`${counted(1 + others.length, "execution")} that began before failed in this window${name}`];
}

const inWindowBefore = (oldest: number | null): string =>
  `in the window before${oldest === null ? "" : `, of which nothing is known from before ${iso(oldest)}`}`;

type Words<Kind extends string> = Readonly<Record<Kind, readonly [one: string, many: string]>>;

const SILENT: Words<"schedule" | "trigger" | "webhook"> = {
  schedule: ["schedule is silent", "schedules are silent"],
  trigger: ["trigger is silent", "triggers are silent"],
  webhook: ["webhook is silent", "webhooks are silent"],
};
const HANGING: Words<Digest["hanging"][number]["kind"]> = {
  running: ["execution hangs", "executions hang"],
  waiting: ["execution waits forever", "executions wait forever"],
  overdue: ["execution should have resumed", "executions should have resumed"],
};
const UNUSUAL: Words<Digest["unusual"][number]["kind"]> = {
  empty: ["workflow succeeded but did next to nothing", "workflows succeeded but did next to nothing"],
  caught: ["workflow caught more errors than usual", "workflows caught more errors than usual"],
  slow: ["workflow was far slower than usual", "workflows were far slower than usual"],
};
const UNHANDLED: Words<"unhandled"> = {
  unhandled: ["error workflow that should have run did not", "error workflows that should have run did not"],
};

interface Found {
  readonly kind: string;
  readonly workflowId: string;
}

/** Counts each kind, and names the workflow if there is only one. */
function kindClauses<Kind extends string>(
  found: readonly Found[],
  words: Words<Kind>,
  names: Digest["names"],
) {
  return Object.entries<readonly [string, string]>(words).flatMap(([kind, [one, many]]) => {
    const ofKind = found.filter((each) => each.kind === kind);
    const [first, ...others] = new Set(ofKind.map(({ workflowId }) => workflowId));
    if (first === undefined) return [];
    const name = others.length > 0 ? "" : ` (${quoted(names[first] ?? first)})`;
    return [counted(ofKind.length, one, many) + name];
  });
}

const withoutDataSentence = ({ withoutData }: Digest): string =>
  withoutData === 0
    ? ""
    : ` n8n kept no data, or not all, of ${counted(withoutData, "failure")}, whose nodes and causes are not known.`;

function unknownSentence({ knownSince, hangingSince, stop }: Digest, { from, to }: Span): string {
  if (stop.reason === "complete")
    return hangingSince === null
      ? ""
      : ` Whether an execution from before ${iso(hangingSince)} hangs is not known yet.`;
  const since = knownSince === null ? "what was known before" : `what began since ${iso(knownSince)}`;
  if (knownSince === null || knownSince > from) return ` This covers only ${since}: ${howToReadOn(stop)}.`;
  return knownSince > from - (to - from)
    ? ` The window before was not read to its end: ${stop.reason === "removed" ? howToReadOn(stop) : "call again for the whole comparison"}.`
    : "";
}
