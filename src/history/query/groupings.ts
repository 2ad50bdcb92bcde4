/** What executions are grouped and filtered by: a row for each, so that a new one is data. */
import { type Digest, digestOfHost } from "../../executions/execution-facts.ts";
import { EXECUTION_STATUSES } from "../../n8n/schemas.ts";
import { HOUR_MS } from "../../platform/durations.ts";

/** A value that the clock of a time zone makes. */
export interface TimeGrouping {
  /** @param local milliseconds since 1970 by that clock */
  readonly of: (local: number) => number;
  readonly name: (value: number) => string;
}

export interface Grouping {
  /** The value in SQL, of the row `e`. */
  readonly column?: string;
  readonly time?: TimeGrouping;
  /** A moment: its groups are in the order of time, and the window before has others. */
  readonly isMoment?: true;
  /** All that there are. */
  readonly values?: readonly string[];
  /** Only n8n's workflows say it; each may have several. */
  readonly isLabel?: true;
  /** The index holds it as a digest only, because it stands in the error's text. */
  readonly keptAs?: (value: string, digest: Digest) => string;
  /** Known of failures alone. */
  readonly isOfFailure?: true;
  /** An execution has a row for each model that it asked; others have none. */
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
  /** An execution that asked two models is in the groups of both. */
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
/** A workflow and a time have arguments of their own. */
export const FILTER_NAMES = names(({ isMoment }) => isMoment !== true).filter((name) => name !== "workflow");

export const groupingOf = (name: GroupingName): Grouping => GROUPINGS[name];
