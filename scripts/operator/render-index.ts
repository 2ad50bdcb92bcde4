/** The history indexes as text for a terminal. Pure. */
import type { IndexCosts, Payer } from "../../src/history/report/index-costs.ts";
import {
  type FailedIndex,
  type IndexReport,
  MAX_INDEX_BYTES,
  type Milestone,
  STEP_EXECUTIONS,
} from "../../src/history/report/index-report.ts";
import { counted } from "../../src/platform/counted.ts";
import { toPlainTable } from "../ask/plain-text.ts";

const NONE = "–";

export const renderIndexes = (indexes: readonly (IndexReport | FailedIndex)[]): string =>
  indexes.map((index) => toPlainTable("error" in index ? failedCells(index) : cellsOf(index))).join("\n\n");

const failedCells = ({ instance, error: { code, message } }: FailedIndex): string[][] => [
  ["history index", instance],
  ["cannot be shown", `${code}: ${message}`],
];

function cellsOf(index: IndexReport): string[][] {
  const { instance, head, known, rows, sizeBytes, syncedAt, costs } = index;
  return [
    ["history index", instance],
    ["newest known", toExecution(head)],
    ["known back to", toFloor(index)],
    ["executions", `${inThousands(known)} known${toRest(rows)}`],
    ["size", `${toSize(sizeBytes)} of ${toSize(MAX_INDEX_BYTES)} at most`],
    ["looked at n8n", toSecond(syncedAt)],
    ["last failure", toFailure(index)],
    ["next step", toNextStep(index)],
    ["asked by itself", toCost(costs, "background")],
    ["asked for people", toCost(costs, "people")],
    ["counted since", toSecond(costs?.since ?? null)],
    ["settings", toSettings(index)],
  ];
}

const inThousands = (count: number): string => count.toLocaleString("en-US");

const toSecond = (time: string | null): string =>
  time === null ? NONE : `${time.slice(0, 19).replace("T", " ")} UTC`;

const toExecution = (milestone: Milestone | null): string =>
  milestone === null ? NONE : `execution ${milestone.id}, ${toSecond(milestone.startedAt)}`;

function toFloor({ floor, isWhole }: IndexReport): string {
  return isWhole ? `${toExecution(floor)}: n8n has nothing older` : toExecution(floor);
}

function toRest(rows: IndexReport["rows"]): string {
  if (rows === null) return "";
  const { deleted, unread, partlyRead } = rows;
  const rest = [
    [deleted, "deleted in n8n since"],
    [unread, "that n8n fails to give"],
    [partlyRead, "looked at in part"],
  ] as const;
  return rest
    .filter(([count]) => count > 0)
    .map(([count, what]) => `, ${inThousands(count)} ${what}`)
    .join("");
}

const UNITS = [
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "KB"],
] as const;

function toSize(bytes: number): string {
  const [size, unit] = UNITS.find(([least]) => bytes >= least) ?? [1, "bytes"];
  return `${(bytes / size).toFixed(size === 1 ? 0 : 1)} ${unit}`;
}

function toFailure({ lastFailure }: IndexReport): string {
  if (lastFailure === null) return "none";
  const { code, at, isOver } = lastFailure;
  return `${code}, ${toSecond(at)}: ${isOver ? "over" : "it goes on"}`;
}

function toNextStep({ nextStepAt, settings, step }: IndexReport): string {
  if (settings.intervalMs === null) return "only when somebody asks";
  const when = nextStepAt === null ? "now, or once somebody asks" : toSecond(nextStepAt);
  if (step.executions >= STEP_EXECUTIONS) return when;
  return `${when}; it reads ${step.executions} executions at once: steps with more were cut off`;
}

function toCost(costs: IndexCosts | null, payer: Payer): string {
  if (costs === null) return NONE;
  const { requests, bytes, executions } = costs[payer];
  const [asked, read] = [counted(requests, "request"), counted(executions, "execution")];
  return `${asked}, ${toSize(bytes)}, ${read} read`;
}

function toSettings({ settings: { intervalMs, days, maxExecutions } }: IndexReport): string {
  const interval = intervalMs === null ? "off" : intervalMs / 1_000;
  return `INDEX_INTERVAL=${interval} INDEX_DAYS=${days} INDEX_MAX_EXECUTIONS=${maxExecutions}`;
}
