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
  const by = ["hour", "day"].find((name) => rows.some((row) => textAt(row, name) !== undefined));
  const measure = textAt(data, "sortBy") ?? "count";
  const largest = groups.reduce((most, group) => Math.max(most, numberAt(group, measure) ?? 0), 0);
  return {
    title: "Executions",
    sentence,
    state: (numberAt(membersAt(data, "totals"), "failures") ?? 0) > 0 ? "failed" : "ok",
    series: by === undefined || !isWhole ? undefined : seriesOf(rows, by, measure, data),
    bars: by === undefined ? groups.map((group) => toBar(group, measure, largest, data)) : [],
    notes: isWhole ? [] : ["Not all groups fitted into the answer."],
  };
}

/** More than an answer has rows. */
const MAX_COLUMNS = 400;
/** Not the sum of its groups. */
const NOT_ADDED = new Set(["failureRate", "medianMs", "p95Ms"]);

const sumOf = (rows: readonly Members[], measure: string): number =>
  rows.reduce((sum, row) => sum + (numberAt(row, measure) ?? 0), 0);

/** All groups of an hour or a day together. */
function seriesOf(rows: readonly Members[], by: string, asked: string, data: Members): Series {
  const byLabel = Map.groupBy(rows, (row) => textAt(row, by) ?? "");
  const measure =
    asked === "failures" || (NOT_ADDED.has(asked) && byLabel.size < rows.length) ? "count" : asked;
  const times = [...byLabel.keys()]
    .map((label) => Date.parse(by === "hour" ? `${label}Z` : label))
    .filter(Number.isFinite);
  const [last, step] = [Math.max(...times), STEP_MS[by] ?? 0];
  const columns: Column[] = [];
  for (let time = Math.min(...times); time <= last && columns.length < MAX_COLUMNS; time += step) {
    const label = labelOf(time, by);
    const own = byLabel.get(label) ?? [];
    const failures = measure === "count" ? sumOf(own, "failures") : 0;
    columns.push({ label, value: sumOf(own, measure), failures });
  }
  const zone = textAt(membersAt(data, "window"), "timeZone") ?? "UTC";
  return { title: `${measure === "count" ? "Executions" : measure} by ${by}, ${zone}`, columns };
}

/** All other members of a group name it. */
const MEASURES =
  /^(count|failures|failureRate|medianMs|p95Ms|items|toolCalls|llmCalls|.*Tokens|before|workflowId)$/;

function toBar(group: Members, measure: string, largest: number, data: Members): Bar {
  const [count, failures] = [numberAt(group, "count") ?? 0, numberAt(group, "failures") ?? 0];
  const names = Object.keys(group).filter((key) => !MEASURES.test(key));
  const workflowId = textAt(group, "workflowId");
  const { from: startedAfter, to: startedBefore } = membersAt(data, "window");
  const args = { workflowId, startedAfter, startedBefore, ...instanceOf(data), ...instanceOf(group) };
  return {
    label: names.map((key) => (group[key] === null ? `no ${key}` : String(group[key]))).join(" / "),
    kind: `${failures} of ${count} failed`,
    status:
      measure === "count" || measure === "failures" ? "" : `${measure} ${numberAt(group, measure) ?? 0}`,
    state: failures > 0 ? "failed" : "ok",
    depth: 0,
    startMs: undefined,
    durationMs: undefined,
    part: largest === 0 ? undefined : (numberAt(group, measure) ?? 0) / largest,
    facts: factsOf(group, new Set(names)),
    url: undefined,
    calls: workflowId === undefined ? [] : [{ label: "Its failures", tool: "summarize_failures", args }],
  };
}
