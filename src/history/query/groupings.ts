/** What executions are grouped and filtered by: one row per grouping, so that adding one is adding data. */
import { type Digest, digestOfHost } from "../../executions/execution-facts.ts";
import { EXECUTION_STATUSES } from "../../n8n/schemas.ts";
import { HOUR_MS } from "../../platform/durations.ts";

/** A value derived from the local time in a time zone. */
export interface TimeGrouping {
  /** @param local milliseconds since 1970 on the zone's clock */
  readonly of: (local: number) => number;
  readonly name: (value: number) => string;
}

export interface Grouping {
  /** SQL for the value, from the row `e`. */
  readonly column?: string;
  readonly time?: TimeGrouping;
  /** A moment: its groups are shown in chronological order, and the previous window has other ones. */
  readonly isMoment?: true;
  /** All possible values. */
  readonly values?: readonly string[];
  /** Known only from n8n's workflows; each may have several. */
  readonly isLabel?: true;
  /** The index stores only a digest of it, because it occurs in error texts. */
  readonly keptAs?: (value: string, digest: Digest) => string;
  /** Only failures have it. */
  readonly isOfFailure?: true;
  /** An execution has one row per model it called; others have none. */
  readonly isOfModel?: true;
}

const WORKFLOW = "e.workflow_id";
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const FIRST_DAY = DAYS.indexOf("Thursday");

const hours = (local: number): number => Math.floor(local / HOUR_MS);
const days = (local: number): number => Math.floor(hours(local) / 24);
const isoHour = (hour: number): string => new Date(hour * HOUR_MS).toISOString();

export const TIMES = {
  hour: { of: hours, name: (hour) => `${isoHour(hour).slice(0, "2026-01-01T00".length)}:00` },
  day: { of: days, name: (day) => isoHour(day * 24).slice(0, "2026-01-01".length) },
  weekday: { of: (local) => (days(local) + FIRST_DAY) % DAYS.length, name: (day) => DAYS[day] ?? "" },
  hourOfDay: { of: (local) => hours(local) % 24, name: String },
} as const satisfies Record<string, TimeGrouping>;

const GROUPINGS = {
  workflow: { column: WORKFLOW },
  tag: { column: WORKFLOW, isLabel: true },
  project: { column: WORKFLOW, isLabel: true },
  node: { column: "e.failing_node", isOfFailure: true },
  errorClass: { column: "e.error_class", isOfFailure: true },
  httpStatus: { column: "e.http_status", isOfFailure: true },
  host: { column: "e.error_host", isOfFailure: true, keptAs: digestOfHost },
  /** An execution that called two models belongs to both groups. */
  model: { column: "u.model", isOfModel: true },
  status: { column: "e.status", values: EXECUTION_STATUSES },
  mode: { column: "e.mode" },
  hour: { time: TIMES.hour, isMoment: true },
  day: { time: TIMES.day, isMoment: true },
  weekday: { time: TIMES.weekday, values: DAYS },
  hourOfDay: { time: TIMES.hourOfDay, values: Array.from({ length: 24 }, (_one, hour) => String(hour)) },
} as const satisfies Record<string, Grouping>;

export type GroupingName = keyof typeof GROUPINGS;

const names = (of: (grouping: Grouping) => boolean): GroupingName[] =>
  Object.entries(GROUPINGS).flatMap(([name, grouping]) => (isName(name) && of(grouping) ? [name] : []));

const isName = (name: string): name is GroupingName => Object.hasOwn(GROUPINGS, name);

export const GROUPING_NAMES = names(() => true);
/** Without workflow and moments, which have parameters of their own. */
export const FILTER_NAMES = names(({ isMoment }) => isMoment !== true).filter((name) => name !== "workflow");

export const groupingOf = (name: GroupingName): Grouping => GROUPINGS[name];
