/**
 * A series as columns: what ran in each hour, day or week. Failures are below a line, so that they can be told apart
 * without colour. Pure.
 */
import { DAY_MS, HOUR_MS, WEEK_MS } from "../../platform/durations.ts";
import type { Fact } from "./picture.ts";

export interface Column {
  /** `2026-11-18T05:00` for an hour, `2026-11-18` for a day. */
  readonly label: string;
  readonly value: number;
  readonly failures: number;
}

export interface Series {
  /** What is counted, in which steps and by which clock. */
  readonly title: string;
  readonly columns: readonly Column[];
  /** The columns of all series with the same scale, so that their heights can be compared. */
  readonly beside?: readonly Column[];
}

/** In percent: one failure among thousands is visible. */
const MIN_HEIGHT = 3;

/** Heights and places in percent; a column is one wide. */
export function rectanglesOf({ columns, beside = columns }: Series) {
  const up = most(beside, ({ value, failures }) => value - failures);
  const total = up + most(beside, ({ failures }) => failures);
  const heightOf = (value: number): number =>
    value <= 0 ? 0 : Math.max(MIN_HEIGHT, (value / total) * (100 - MIN_HEIGHT));
  const line = heightOf(up);
  return columns.flatMap(({ value, failures }, x) => {
    const above = heightOf(value - failures);
    return [
      { state: "ok", x, y: line - above, height: above },
      { state: "failed", x, y: line, height: heightOf(failures) },
    ].filter(({ height }) => height > 0);
  });
}

const most = (columns: Series["columns"], of: (column: Column) => number): number =>
  columns.reduce((high, column) => Math.max(high, of(column)), 0);
const grouped = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 2 });

/** The range in words, for people who do not see the columns. */
export function wordsOfSeries({ columns }: Series): string {
  const failed = most(columns, ({ failures }) => failures);
  const below = failed === 0 ? "" : ` Below the line: what failed, up to ${grouped(failed)}.`;
  return `Up to ${grouped(most(columns, ({ value }) => value))}.${below}`;
}

/** The columns as numbers, without empty ones. */
export const factsOfSeries = ({ columns }: Series): Fact[] =>
  columns.flatMap(({ label, value, failures }) => {
    const failed = failures === 0 ? "" : `, ${grouped(failures)} failed`;
    return value > 0 ? [[label, grouped(value) + failed] as const] : [];
  });

export const STEP_MS: Readonly<Record<string, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: WEEK_MS,
};

/** @param time epoch ms, by the clock whose time is shown */
export const labelOf = (time: number, by: string): string =>
  new Date(time).toISOString().slice(0, by === "hour" ? "2026-11-18T05:00".length : "2026-11-18".length);
