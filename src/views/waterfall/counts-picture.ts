/** Converts counted executions to a picture: hours or days as columns, other groups as lines, by their size. */
import { listAt, type Members, membersAt, numberAt, textAt } from "./members.ts";
import { type Bar, factsOf, instanceOf, type Picture } from "./picture.ts";
import { type Column, labelOf, type Series, STEP_MS } from "./series.ts";

export const isCounts = (data: Members): boolean =>
  typeof data.totals === "object" && Array.isArray(data.groups) && !Array.isArray(data.incidents);

/** @param isWhole whether all groups fitted into the answer: else columns would be too low, or missing */
export function countsPicture(data: Members, sentence: string, isWhole: boolean): Picture {
  const groups = listAt(data, "groups");
  const rows = [...groups, ...listAt(data, "others")];
  const by = MOMENTS.find((name) => rows.some((row) => textAt(row, name) !== undefined));
  const measure = textAt(data, "sortBy") ?? "count";
  const largest = groups.reduce((most, group) => Math.max(most, numberAt(group, measure) ?? 0), 0);
  return {
    title: "Executions",
    sentence,
    state: (numberAt(membersAt(data, "totals"), "failures") ?? 0) > 0 ? "failed" : "ok",
    ...(by === undefined || !isWhole ? { series: undefined } : seriesOf(rows, groups, by, measure, data)),
    bars: by === undefined ? groups.map((group) => toBar(group, measure, largest, data)) : [],
    notes: isWhole ? [] : ["Not all groups fitted into the answer."],
  };
}

/** No answer has this many rows. */
const MAX_COLUMNS = 400;
/** More do not fit on a phone. */
const MAX_PARTS = 5;
const MOMENTS = ["hour", "day"];
/** Measures that cannot be added up over groups. */
const NOT_ADDED = new Set(["failureRate", "medianMs", "p95Ms"]);

const sumOf = (rows: readonly Members[], measure: string): number =>
  rows.reduce((sum, row) => sum + (numberAt(row, measure) ?? 0), 0);

/** One series of all groups together, and one of each of the largest groups. */
function seriesOf(
  rows: readonly Members[],
  groups: readonly Members[],
  by: string,
  asked: string,
  data: Members,
): Pick<Picture, "series" | "parts"> {
  const zone = textAt(membersAt(data, "window"), "timeZone") ?? "UTC";
  const labels = labelsOf(rows, by);
  const seriesIn = (own: readonly Members[], title: (measure: string) => string): Series => {
    const byLabel = Map.groupBy(own, (row) => textAt(row, by) ?? "");
    const measure =
      asked === "failures" || (NOT_ADDED.has(asked) && byLabel.size < own.length) ? "count" : asked;
    const columns = labels.map((label): Column => {
      const same = byLabel.get(label) ?? [];
      const failures = measure === "count" ? sumOf(same, "failures") : 0;
      return { label, value: sumOf(same, measure), failures };
    });
    return { title: title(measure === "count" ? "Executions" : measure), columns };
  };
  const series = seriesIn(rows, (measure) => `${measure} by ${by}, ${zone}`);
  const named = Map.groupBy(groups, (group) => nameOf(group));
  if (named.size < 2) return { series };
  const size = (own: readonly Members[]): number => sumOf(own, asked);
  const parts = [...named]
    .toSorted(([, one], [, other]) => size(other) - size(one))
    .slice(0, MAX_PARTS)
    .map(([name, own]) => seriesIn(own, (measure) => `${name}: ${measure}`));
  const beside = parts.flatMap(({ columns }) => columns);
  return { series, parts: parts.map((part) => ({ ...part, beside })) };
}

/** The labels of every hour or day from the first to the last. */
function labelsOf(rows: readonly Members[], by: string): string[] {
  const times = rows
    .map((row) => textAt(row, by) ?? "")
    .map((label) => Date.parse(by === "hour" ? `${label}Z` : label))
    .filter(Number.isFinite);
  const [first, step] = [Math.min(...times), STEP_MS[by] ?? 1];
  const count = Math.min(MAX_COLUMNS, (Math.max(...times) - first) / step + 1);
  return Array.from({ length: Math.max(0, count) }, (_one, index) => labelOf(first + index * step, by));
}

/** All other members of a group name it. */
const MEASURES =
  /^(count|failures|failureRate|medianMs|p95Ms|items|toolCalls|llmCalls|.*Tokens|before|workflowId)$/;

const namesIn = (group: Members): string[] =>
  Object.keys(group).filter((key) => !MEASURES.test(key) && !MOMENTS.includes(key));
const nameOf = (group: Members): string =>
  namesIn(group)
    .map((key) => (group[key] === null ? `no ${key}` : String(group[key])))
    .join(" / ");

function toBar(group: Members, measure: string, largest: number, data: Members): Bar {
  const [count, failures] = [numberAt(group, "count") ?? 0, numberAt(group, "failures") ?? 0];
  const workflowId = textAt(group, "workflowId");
  const { from: startedAfter, to: startedBefore } = membersAt(data, "window");
  const args = { workflowId, startedAfter, startedBefore, ...instanceOf(data), ...instanceOf(group) };
  return {
    label: nameOf(group),
    kind: `${failures} of ${count} failed`,
    status:
      measure === "count" || measure === "failures" ? "" : `${measure} ${numberAt(group, measure) ?? 0}`,
    state: failures > 0 ? "failed" : "ok",
    depth: 0,
    startMs: undefined,
    durationMs: undefined,
    part: largest === 0 ? undefined : (numberAt(group, measure) ?? 0) / largest,
    facts: factsOf(group, new Set(namesIn(group))),
    url: undefined,
    calls: workflowId === undefined ? [] : [{ label: "Its failures", tool: "summarize_failures", args }],
  };
}
