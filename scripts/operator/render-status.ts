/** A server's status as one screen for a terminal. Pure. */

import { queueSentence } from "../../src/features/queue-sentence.ts";
import type { FailedIndex, IndexReport } from "../../src/history/report/index-report.ts";
import { counted } from "../../src/platform/counted.ts";
import { MINUTE_MS } from "../../src/platform/durations.ts";
import { toPlainTable } from "../ask/plain-text.ts";
import type { StatusReport } from "./operator-client.ts";

export interface ServerStatus extends StatusReport {
  readonly origin: string;
  /** What `/health` says. */
  readonly isHealthy: boolean;
}

const MOST_OUTCOMES = 5;
const NONE = "–";

/** Failed calls do not count: a wrong id of a caller is one of them. */
export const isWell = ({ isHealthy, settingProblems, indexes }: ServerStatus): boolean =>
  isHealthy &&
  settingProblems.length === 0 &&
  indexes.every((index) => !("error" in index) && index.lastFailure?.isOver !== false);

/** @param now epoch ms */
export function renderStatus(status: ServerStatus, now: number): string {
  const { origin, version, isHealthy, settingProblems, indexes, lastDay } = status;
  const lines = [
    ["server", `${origin}, version ${version}`],
    ["health", isHealthy ? "ok" : "cannot answer: see the settings"],
    ...toSettingLines(settingProblems),
    ...indexes.flatMap((index) => toIndexLines(index, now, indexes.length > 1)),
    ["calls, last day", toCounts(lastDay.calls, "call")],
    ["sign-ins, last day", toCounts(lastDay.signIns, "event")],
  ];
  return toPlainTable(lines);
}

function toSettingLines(problems: StatusReport["settingProblems"]): string[][] {
  if (problems.length === 0) return [["settings", "all usable"]];
  return problems.map(({ setting, problem, solution }) => ["settings", `${setting}: ${problem} ${solution}`]);
}

function toIndexLines(index: IndexReport | FailedIndex, now: number, areSeveral: boolean): string[][] {
  const of = areSeveral ? ` ${index.instance}` : "";
  if ("error" in index)
    return [[`index${of}`, `cannot be shown: ${index.error.code}: ${index.error.message}`]];
  return [
    [`n8n${of}`, toN8n(index, now)],
    [`index${of}`, toIndex(index, now)],
    ...(index.queue === null ? [] : [[`queue${of}`, queueSentence(index.queue)]]),
  ];
}

function toN8n({ lastFailure, syncedAt }: IndexReport, now: number): string {
  if (lastFailure?.isOver === false) return `fails with ${lastFailure.code} (${toAge(lastFailure.at, now)})`;
  return syncedAt === null ? "not asked yet" : `answered ${toAge(syncedAt, now)}`;
}

function toIndex({ known: count, isWhole, floor, syncedAt }: IndexReport, now: number): string {
  if (syncedAt === null) return "nothing known yet";
  const back = isWhole ? "all that n8n has" : `back to ${floor?.startedAt?.slice(0, 10) ?? NONE}`;
  const known = counted(count, "execution");
  return `${known}, ${back}; last check for new executions ${toAge(syncedAt, now)}`;
}

function toCounts(counts: Readonly<Record<string, number>>, what: string): string {
  const outcomes = Object.entries(counts).toSorted(([, one], [, other]) => other - one);
  const total = outcomes.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return "none";
  const shown = outcomes.slice(0, MOST_OUTCOMES).map(([outcome, count]) => `${outcome} ${count}`);
  const rest = outcomes.length - shown.length;
  const more = rest > 0 ? [counted(rest, "other outcome")] : [];
  return `${counted(total, what)}: ${[...shown, ...more].join(", ")}`;
}

function toAge(time: string, now: number): string {
  const minutes = Math.max(0, Math.floor((now - Date.parse(time)) / MINUTE_MS));
  if (minutes < 1) return "just now";
  if (minutes < 120) return `${counted(minutes, "minute")} ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${counted(hours, "hour")} ago` : `${counted(Math.floor(hours / 24), "day")} ago`;
}
