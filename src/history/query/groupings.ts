/** What executions are grouped and filtered by: a row for each, so that a new one is data. */
import { type Digest, digestOfHost } from "../../executions/execution-facts.ts";

interface Grouping {
  /** The value in SQL, of the row `e`. @param local makes the seconds since 1970 by the clock of the time zone */
  readonly sql: (local: () => string) => string;
  /** A moment: its groups are in the order of time, and the window before has others. */
  readonly isMoment?: true;
  /** Only n8n's workflows say it; each may have several. */
  readonly isLabel?: true;
  /** The index holds it as a digest only, because it stands in the error's text. */
  readonly keptAs?: (value: string, digest: Digest) => string;
  /** An execution has a row for each model that it asked; others have none. */
  readonly isOfModel?: true;
}

const WORKFLOW = "e.workflow_id";
const DAYS = "'Sunday','Monday','Tuesday','Wednesday','Thursday','Friday','Saturday'";

const GROUPINGS = {
  workflow: { sql: () => WORKFLOW },
  tag: { sql: () => WORKFLOW, isLabel: true },
  project: { sql: () => WORKFLOW, isLabel: true },
  /** These are known of failures alone. */
  node: { sql: () => "e.failing_node" },
  errorClass: { sql: () => "e.error_class" },
  httpStatus: { sql: () => "e.http_status" },
  host: { sql: () => "e.error_host", keptAs: digestOfHost },
  /** An execution that asked two models is in the groups of both. */
  model: { sql: () => "u.model", isOfModel: true },
  status: { sql: () => "e.status" },
  mode: { sql: () => "e.mode" },
  hour: { sql: (local) => `strftime('%Y-%m-%dT%H:00', ${local()}, 'unixepoch')`, isMoment: true },
  day: { sql: (local) => `date(${local()}, 'unixepoch')`, isMoment: true },
  weekday: { sql: (local) => `json_array(${DAYS}) ->> (((${local()}) / 86400 + 4) % 7)` },
  hourOfDay: { sql: (local) => `(${local()}) % 86400 / 3600` },
} as const satisfies Record<string, Grouping>;

export type GroupingName = keyof typeof GROUPINGS;

const names = (of: (grouping: Grouping) => boolean): GroupingName[] =>
  Object.entries(GROUPINGS).flatMap(([name, grouping]) => (isName(name) && of(grouping) ? [name] : []));

const isName = (name: string): name is GroupingName => Object.hasOwn(GROUPINGS, name);

export const GROUPING_NAMES = names(() => true);
/** A workflow and a time have arguments of their own. */
export const FILTER_NAMES = names(({ isMoment }) => isMoment !== true).filter((name) => name !== "workflow");

export const groupingOf = (name: GroupingName): Grouping => GROUPINGS[name];
