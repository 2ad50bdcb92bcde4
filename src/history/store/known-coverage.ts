/** What is known of a window, in figures: how much of it, from when to when, and what of it could not be read. */
import * as z from "zod";
import type { ExecutionCounts } from "./execution-counts.ts";
import type { IndexDatabase } from "./index-database.ts";
import { KNOWN_IN_PART_LIST } from "./memorable-execution.ts";
import { IN_WINDOW, windowBindings } from "./tables.ts";
import type { TraceWindow } from "./trace-window.ts";

const MAX_PROBLEMS = 20;

export interface KnownCoverage {
  readonly executions: number;
  /** Start of the oldest and the newest, ISO 8601. */
  readonly from: string | null;
  readonly to: string | null;
  /** The lowest and the highest id; null when there is none. */
  readonly lowest: string | null;
  readonly highest: string | null;
  /** Those that n8n did not give, or not wholly; the newest of them. */
  readonly problems: readonly { readonly executionId: string; readonly reason: string }[];
  /** How many there are in all. */
  readonly problemCount: number;
  /** Those that are known in part by what they hold, for each reason: the newest, and how many there are. */
  readonly inPart: readonly InPart[];
}

const countRow = z.object({ problems: z.number() });
const inPartRow = z.object({ executionId: z.string(), reason: z.string(), count: z.number() });
export type InPart = Readonly<z.infer<typeof inPartRow>>;
const spanRow = z.object({
  executions: z.number(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  lowest: z.string().nullable(),
  highest: z.string().nullable(),
});
type Span = z.infer<typeof spanRow>;
const problemRow = z.object({ executionId: z.string(), reason: z.string() });

/** From the newest execution down to this one. */
export function knownCoverage(
  database: IndexDatabase,
  counts: ExecutionCounts,
  window: TraceWindow,
  downTo: string,
): KnownCoverage {
  const where = `${IN_WINDOW} AND id >= CAST(?4 AS INTEGER)`;
  const bindings = [...windowBindings(window), downTo] as const;
  const isWhole = Object.values(window).every((bound) => bound === null);
  const those = (isInPart: boolean): string =>
    `FROM executions WHERE ${where} AND problem IS NOT NULL
     AND problem ${isInPart ? "" : "NOT"} IN (SELECT value FROM json_each(?5))`;
  const all = [...bindings, KNOWN_IN_PART_LIST] as const;
  const [row] = database.exec(`SELECT COUNT(*) AS problems ${those(false)}`, ...all);
  const problems = database.exec(
    `SELECT CAST(id AS TEXT) AS executionId, problem AS reason ${those(false)}
       ORDER BY executions.id DESC LIMIT ${MAX_PROBLEMS}`,
    ...all,
  );
  const inPart = database.exec(
    `SELECT CAST(MAX(id) AS TEXT) AS executionId, problem AS reason, COUNT(*) AS count ${those(true)}
       AND is_deleted = 0 GROUP BY problem ORDER BY MAX(id) DESC`,
    ...all,
  );
  return {
    ...(isWhole ? spanFrom(database, counts, downTo) : spanIn(database, where, bindings)),
    problems: problems.map((row) => problemRow.parse(row)),
    problemCount: countRow.parse(row).problems,
    inPart: inPart.map((row) => inPartRow.parse(row)),
  };
}

function spanIn(database: IndexDatabase, where: string, bindings: readonly (string | null)[]): Span {
  const [row] = database.exec(
    `SELECT COUNT(*) AS executions, MIN(started_at) AS "from", MAX(started_at) AS "to",
       CAST(MIN(id) AS TEXT) AS lowest, CAST(MAX(id) AS TEXT) AS highest FROM executions WHERE ${where}`,
    ...bindings,
  );
  return spanRow.parse(row);
}

/** The same without a walk over all of them: ids count up as starts do. */
function spanFrom(database: IndexDatabase, counts: ExecutionCounts, downTo: string): Span {
  const [row] = database.exec(
    `SELECT CAST((SELECT MIN(id) FROM executions WHERE id >= CAST(?1 AS INTEGER)) AS TEXT) AS lowest,
       CAST((SELECT MAX(id) FROM executions WHERE id >= CAST(?1 AS INTEGER)) AS TEXT) AS highest,
       (SELECT started_at FROM executions WHERE id >= CAST(?1 AS INTEGER) AND started_at IS NOT NULL
        ORDER BY id LIMIT 1) AS "from",
       (SELECT started_at FROM executions WHERE id >= CAST(?1 AS INTEGER) AND started_at IS NOT NULL
        ORDER BY id DESC LIMIT 1) AS "to"`,
    downTo,
  );
  return spanRow.parse({ ...row, executions: counts.downTo(downTo) });
}
