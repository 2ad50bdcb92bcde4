/** Writes the answer of a query: a sentence with the counts, whether they are better or worse than before, and the first groups. Pure. */
import { iso, mayLackStart, type Span } from "../../history/digest/run.ts";
import { chanceOfAtLeast, type Share } from "../../history/digest/statistics.ts";
import type { QueriedExecutions } from "../../history/query/execution-query.ts";
import type { MeasuredGroup } from "../../history/query/group-tallies.ts";
import type { ExecutionFilter } from "../../history/query/grouped-rows.ts";
import { type GroupingName, groupingOf } from "../../history/query/groupings.ts";
import { type Measure, type Measured, SUM_NAMES, SUMS_OF_AGENTS } from "../../history/query/tally.ts";
import { counted } from "../../platform/counted.ts";
import { displayName, quoted } from "../../platform/display-name.ts";
import { sumOf } from "../../platform/sum-of.ts";
import type { DigestWindowArguments } from "../digest-window.ts";
import type { NamedWorkflow } from "../find-workflow.ts";
import { editorRunsSentence, howToReadOn, knownAsOfSentence } from "../history-scan.ts";
import { nextCall } from "../params.ts";
import { withoutNull } from "../shown.ts";
import { sparklineOf } from "../sparkline.ts";

/** The hours or days of the window, when it is grouped by them. */
export interface Moments {
  readonly by: "hour" | "day";
  readonly names: readonly string[];
  /** The window begins or ends within one. */
  readonly areCut: boolean;
}

interface QueryOptions {
  readonly groupBy: readonly GroupingName[];
  readonly filters: readonly ExecutionFilter[];
  readonly sortBy: Measure;
  readonly window: Span;
  readonly isCompared: boolean;
  readonly moments: Moments | null;
  readonly knowsAllLabels: boolean;
}

type Names = QueriedExecutions["names"];

const MAX_NAMED = 3;
/** Rows of a longer series show only counts and the measure of `sortBy`. */
const MAX_WHOLE_ROWS = 48;
/** A difference that occurs by chance in one of twenty comparisons does not count. */
const DEVIATIONS = 2;
const CHANCE = 0.05;
/** With fewer expected failures or successes, the normal approximation does not hold. */
const LEAST_EXPECTED = 5;

/** With the names of hosts by digest. */
type QueriedWithHosts = QueriedExecutions & { readonly hosts: ReadonlyMap<string, string | null> };

/** @param input the call's arguments; the suggested next call reuses their window */
export function answerOf(
  queried: QueriedWithHosts,
  options: QueryOptions,
  input: DigestWindowArguments & NamedWorkflow,
) {
  const { total, editorRuns, withoutData, groupCount } = queried;
  const isBrief = queried.groups.length + queried.others.length > MAX_WHOLE_ROWS && options.moments !== null;
  const others = queried.others.map((other) => ({
    groups: other.groups,
    ...(options.moments === null ? {} : { [options.moments.by]: other.keys[0] }),
    ...shownMeasures(other, options.sortBy, isBrief),
  }));
  return {
    message:
      [
        `From ${iso(options.window.from)} to ${iso(options.window.to)}: ${totalSentence(total, options.sortBy)}.`,
        ...topSentence(queried, options),
        ...caveatsOf(queried, options),
      ].join(" ") +
      editorRunsSentence(editorRuns) +
      knownAsOfSentence(queried),
    totals: {
      ...shownMeasures(total, options.sortBy, false),
      editorRuns: editorRuns || undefined,
      withoutData: withoutData || undefined,
      groups: options.groupBy.length === 0 ? undefined : groupCount,
    },
    groups: options.groupBy.length === 0 ? [] : shownGroups(queried, options, isBrief),
    others: others.length === 0 ? undefined : others,
    sortBy: options.sortBy === "count" ? undefined : options.sortBy,
    sparkline: sparklineOfMoments(queried, options),
    _guidance: suggestNextCall(queried, options, input),
  };
}

/** A series has each hour or day, also those without an execution. */
function shownGroups({ groups, names, hosts }: QueriedWithHosts, options: QueryOptions, isBrief: boolean) {
  const shown = groups.map((group) => ({
    ...keysOf(group, options, names, hosts),
    ...shownMeasures(group, options.sortBy, isBrief),
  }));
  const { moments, groupBy } = options;
  if (moments === null || groupBy.length > 1) return shown;
  const byMoment = new Map(groups.map(({ keys: [key = null] }, index) => [key, shown[index]]));
  return moments.names.map(
    (name) => byMoment.get(name) ?? { [moments.by]: name, count: 0, failures: isBrief ? undefined : 0 },
  );
}

/** Adds up the groups of each hour or day; undefined for a measure that cannot be added, such as a median. */
function sparklineOfMoments(
  { groups, others }: QueriedExecutions,
  { moments, groupBy, sortBy }: QueryOptions,
) {
  if (moments === null || (groupBy.length > 1 && NOT_ADDITIVE.has(sortBy))) return undefined;
  const at = groupBy.indexOf(moments.by);
  const valueAt = (name: string): number => {
    const own = [
      ...groups.filter(({ keys }) => keys[at] === name),
      ...others.filter(({ keys }) => keys[0] === name),
    ];
    return sumOf(own, ({ now }) => now[sortBy] ?? 0);
  };
  return sparklineOf(moments.names.map(valueAt), sortBy === "count" ? "executions" : sortBy, moments.by);
}

const NOT_ADDITIVE: ReadonlySet<Measure> = new Set(["failureRate", "medianMs", "p95Ms"]);

function keysOf(
  { keys }: MeasuredGroup,
  { groupBy }: QueryOptions,
  names: Names,
  hosts: QueriedWithHosts["hosts"],
) {
  return Object.fromEntries(
    groupBy.flatMap((name, index): [string, string | null][] => {
      const kept = keys[index] ?? null;
      const key = name === "host" && kept !== null ? (hosts.get(kept) ?? NOT_READ) : kept;
      if (name !== "workflow") return [[name, key === null ? null : displayName(key)]];
      return [
        ["workflowName", displayName(nameOfWorkflow(key, names))],
        ["workflowId", key],
      ];
    }),
  );
}

/** Shown for a host whose executions n8n has deleted, or that is not among the first. */
const NOT_READ = "not read";

/** The workflow's id if no execution names it. */
const nameOfWorkflow = (id: string | null, names: Names): string =>
  (id !== null && Object.hasOwn(names, id) ? names[id] : undefined) || (id ?? "");

/**
 * Leaves out sums that are zero, and other measures of the window before than counts and `sortBy`.
 * @param isBrief shows no other measures of the window either, so that a long series fits
 */
function shownMeasures({ now, before }: MeasuredGroup, sortBy: Measure, isBrief: boolean) {
  const { count, failures, failureRate, medianMs, p95Ms } = now;
  const sorted = (measured: Measured) =>
    sortBy === "count" || sortBy === "failures" ? {} : { [sortBy]: rounded(measured[sortBy]) };
  if (isBrief) return { count: count ?? 0, failures: failures || undefined, ...withoutNull(sorted(now)) };
  const sums = SUM_NAMES.filter((name) => (now[name] ?? 0) > 0 || name === sortBy);
  return {
    count: count ?? 0,
    failures: failures ?? 0,
    ...withoutNull({ failureRate: rounded(failureRate), medianMs: medianMs ?? null, p95Ms: p95Ms ?? null }),
    ...Object.fromEntries(sums.map((name) => [name, now[name]])),
    before: before ? { count: before.count, failures: before.failures, ...sorted(before) } : undefined,
  };
}

const rounded = (value: number | null | undefined): number | null =>
  value == null ? null : Math.round(value * 10_000) / 10_000;

const grouped = (value: number | null | undefined): string =>
  (value ?? 0).toLocaleString("en-US", { maximumFractionDigits: 1 });
const percent = (rate: number | null | undefined): string => `${grouped((rate ?? 0) * 100)} %`;

const OF_FAILURES: ReadonlySet<Measure> = new Set(["count", "failures", "failureRate"]);

function totalSentence(total: MeasuredGroup, sortBy: Measure): string {
  const { now, before } = total;
  const executions = `${grouped(now.count)} ${now.count === 1 ? "execution" : "executions"}`;
  const failed = now.count === 0 ? "" : `, ${grouped(now.failures)} failed (${percent(now.failureRate)})`;
  const sorted = OF_FAILURES.has(sortBy) ? "" : `. ${sortBy}: ${measureText(total, sortBy)}`;
  return executions + failed + (before === null ? "" : beforeClause(now, before)) + sorted;
}

function beforeClause(now: Measured, before: Measured): string {
  if (before.count === 0) return "; none in the window before";
  const rate = percent(before.failureRate);
  return `; in the window before ${grouped(before.failures)} of ${grouped(before.count)} (${rate})${verdict(now, before)}`;
}

/** Whether the failure rate changed by more than chance; if everything failed in both windows, the number. */
function verdict(now: Measured, before: Measured): string {
  const [n, m] = [now.count ?? 0, before.count ?? 0];
  if (n > 0 && n === now.failures && m === before.failures) {
    const isClear = Math.abs(n - m) > DEVIATIONS * Math.sqrt(n + m);
    return isClear ? `: ${n > m ? "more" : "fewer"}` : m === 0 ? "" : ": no clear change";
  }
  if (n === 0 || m === 0) return "";
  const difference = (now.failureRate ?? 0) - (before.failureRate ?? 0);
  const rate = ((now.failures ?? 0) + (before.failures ?? 0)) / (n + m);
  if (rate === 0) return "";
  const deviation = Math.sqrt(rate * (1 - rate) * (1 / n + 1 / m));
  const isFew = Math.min(rate, 1 - rate) * Math.min(n, m) < LEAST_EXPECTED;
  const isClear = isFew ? isBeyondChance(now, before) : Math.abs(difference) > DEVIATIONS * deviation;
  if (!isClear) return ": no clear change";
  return difference > 0 ? ": worse" : ": better";
}

/** An exact two-sided test of the smaller window, on failures or successes, whichever are rarer. */
function isBeyondChance(now: Measured, before: Measured): boolean {
  const toShare = ({ count, failures }: Measured): Share => ({ count: failures ?? 0, of: count ?? 0 });
  const successes = ({ count, of }: Share): Share => ({ count: of - count, of });
  const failed = [now, before].map(toShare).toSorted((one, other) => one.of - other.of);
  const all = (shares: readonly Share[]): Share => ({
    count: sumOf(shares, ({ count }) => count),
    of: sumOf(shares, ({ of }) => of),
  });
  const rarer = all(failed).count * 2 <= all(failed).of ? failed : failed.map(successes);
  const [sample = { count: 0, of: 0 }] = rarer;
  const many = chanceOfAtLeast(sample, all(rarer));
  const few = 1 - chanceOfAtLeast({ ...sample, count: sample.count + 1 }, all(rarer));
  return 2 * Math.min(many, few) < CHANCE;
}

function measureText({ now, before }: MeasuredGroup, sortBy: Measure): string {
  if (sortBy === "count") {
    const remarks = [
      ...(now.failures ? [`${grouped(now.failures)} failed`] : []),
      ...(before === null
        ? []
        : [`before ${grouped(before.count)}, ${grouped(before.failures)} failed${verdict(now, before)}`]),
    ];
    return grouped(now.count) + (remarks.length === 0 ? "" : ` (${remarks.join("; ")})`);
  }
  if (OF_FAILURES.has(sortBy)) {
    const then =
      before === null
        ? ""
        : ` (before ${grouped(before.failures)} of ${grouped(before.count)}${verdict(now, before)})`;
    return `${grouped(now.failures)} of ${grouped(now.count)}${then}`;
  }
  const [is, was] = [now[sortBy] ?? null, before?.[sortBy] ?? null];
  if (is === null) return "unknown";
  if (was === null) return grouped(is);
  const change =
    was === 0 ? "" : `: ${grouped(Math.abs(is / was - 1) * 100)} % ${is < was ? "less" : "more"}`;
  return `${grouped(is)} (before ${grouped(was)}${change})`;
}

function topSentence({ groups, groupCount, names }: QueriedExecutions, options: QueryOptions): string[] {
  const { sortBy, groupBy } = options;
  if (groupBy.length === 0) return [];
  const top = groups
    .filter(({ now }) => (now[sortBy] ?? 0) > 0)
    .toSorted((a, b) => (b.now[sortBy] ?? 0) - (a.now[sortBy] ?? 0))
    .slice(0, MAX_NAMED);
  if (top.length === 0) return [];
  const named = top.map((group) => {
    // A host comes from an address, which is payload, so it is shown only in the data.
    const isHost = group.keys[groupBy.indexOf("host")] != null;
    const name = isHost ? `group ${groups.indexOf(group) + 1}` : nameOf(group, options, names);
    return `${name} ${measureText(group, sortBy)}`;
  });
  const of = options.moments === null && groupCount > top.length ? ` of ${groupCount} groups` : "";
  return [`Highest ${sortBy}${of}: ${named.join(", ")}.`];
}

const nameOf = ({ keys }: MeasuredGroup, { groupBy }: QueryOptions, names: Names): string =>
  groupBy
    .map((name, index) => (name === "workflow" ? nameOfWorkflow(keys[index] ?? null, names) : keys[index]))
    .map((key) => (key == null ? "none" : quoted(key)))
    .join(" / ");

function* caveatsOf(queried: QueriedExecutions, options: QueryOptions) {
  const { window, isCompared, knowsAllLabels, groupBy, filters, sortBy } = options;
  const { total, withoutData, knownSince, oldest, stop } = queried;
  if (knownSince === null || knownSince > window.from)
    yield `This covers only ${knownSince === null ? "what was known before" : `what began since ${iso(knownSince)}`}: ${howToReadOn(stop)}.`;
  else if (mayLackStart(window, oldest)) yield `Nothing is known from before ${iso(oldest)}.`;
  if (isCompared && total.before === null)
    yield "The window before is not known whole, so nothing is compared with it.";
  const isOfFailures = [...groupBy, ...filters.map(({ by }) => by)].some(
    (name) => groupingOf(name).isOfFailure === true,
  );
  const { count, failures } = total.now;
  if (isOfFailures) yield "Nodes, errors and hosts are known of failures alone.";
  else if (count !== 0 && count === failures && !filters.some(({ by }) => by === "status"))
    yield "No success is known: if n8n does not save them, the rate says nothing.";
  if (options.moments?.areCut)
    yield `The first and the last ${options.moments.by} count only as far as the window reaches.`;
  if ([...groupBy, ...filters.map(({ by }) => by)].includes("model"))
    yield "An execution counts once for each model that it called.";
  const open = openFilter(queried, options);
  if (open !== undefined)
    yield `Upper and lower case matter: groupBy ["${open}"] shows each ${open} of the window.`;
  if (filters.some(({ by, values }) => by === "status" && values.includes("new")))
    yield "What waits in n8n's queue has not begun and is not counted: summarize_failures shows it.";
  if (withoutData > 0)
    yield `The data of ${counted(withoutData, "execution")} is not known, or not all of it: calls, tokens, items and nodes in them are not counted.`;
  if (SUMS_OF_AGENTS.some((name) => name === sortBy) || groupBy.includes("model"))
    yield "Calls and tokens are those of models and tools attached to a node: what a node asks a model by itself is not counted.";
  if (!knowsAllLabels) yield "Not all workflows could be read, so some count as without a tag or project.";
}

/** The first filter whose value may not exist, if nothing was counted. */
const openFilter = ({ total }: QueriedExecutions, { filters }: QueryOptions): GroupingName | undefined =>
  total.now.count === 0
    ? filters.map(({ by }) => by).find((by) => !groupingOf(by).values && !groupingOf(by).isLabel)
    : undefined;

function suggestNextCall(
  queried: QueriedExecutions,
  options: QueryOptions,
  input: DigestWindowArguments & NamedWorkflow,
) {
  const { total, groups, knownSince, stop } = queried;
  if (
    !["complete", "removed"].includes(stop.reason) &&
    (knownSince === null || knownSince > options.window.from)
  )
    return nextCall("Read on.", "query_executions", input);
  const { hours, startedAfter, startedBefore, workflowId, workflowName } = input;
  const asked = { workflowId, workflowName, hours, startedAfter, startedBefore };
  if ((total.now.failures ?? 0) > 0) {
    const at = options.groupBy.indexOf("workflow");
    const [first] = groups.filter(({ now }) => (now.failures ?? 0) > 0);
    const found = first?.keys[at] ?? undefined;
    const named = found === undefined ? asked : { ...asked, workflowId: found, workflowName: undefined };
    return nextCall("The causes of these failures.", "summarize_failures", named);
  }
  const groupBy = [openFilter(queried, options) ?? "workflow"];
  return nextCall("What ran.", "query_executions", { groupBy, ...asked });
}
