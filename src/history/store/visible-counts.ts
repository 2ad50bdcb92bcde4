/** How much of a window is known, as a view shows it. */
import * as z from "zod";
import { higherOf, isNewer } from "../../platform/id-order.ts";
import type { ExecutionCounts } from "./execution-counts.ts";
import type { IndexReader } from "./index-database.ts";
import { KNOWN_IN_PART_LIST, RUNS_UNREAD } from "./memorable-execution.ts";
import type { NarrowedSql } from "./narrowed-sql.ts";
import { COUNTED_IDS } from "./tables.ts";
import { IN_WINDOW, isWholeHistory, type TraceWindow, windowBindings } from "./trace-window.ts";

const MAX_PROBLEMS = 20;
const ALL_IDS = { lowest: "0", highest: String(2n ** 63n - 1n) };
const NO_IDS = { lowest: "1", highest: "0" };

/** A queued execution began later than at most this many ids above it. */
const QUEUED_IDS = 4_096;

const newestRow = z.object({ startedAt: z.string().nullable() });
const problemRow = z.object({ executionId: z.string(), reason: z.string(), count: z.number() });
const unreadRow = z.object({
  count: z.number(),
  /** How many of them are included in `KnownCoverage.executions`. */
  counted: z.number(),
  newestId: z.string().nullable(),
});
type UnreadRunning = z.infer<typeof unreadRow>;
const spanRow = z.object({
  executions: z.number(),
  /** Start of the oldest and the newest, ISO 8601. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** The lowest and the highest id; null when there is none. */
  lowest: z.string().nullable(),
  highest: z.string().nullable(),
});
type Span = z.infer<typeof spanRow>;

/** Executions from an id up; blocks of ids above the id's own have their total in `counts`. */
const COUNTED_DOWN_TO = `(SELECT COUNT(*) FROM executions
  WHERE id BETWEEN CAST(?1 AS INTEGER) AND (CAST(?1 AS INTEGER) / ${COUNTED_IDS} + 1) * ${COUNTED_IDS} - 1)
  + (SELECT COALESCE(SUM(executions), 0) FROM counts WHERE ids > CAST(?1 AS INTEGER) / ${COUNTED_IDS})`;
/** The same for a view, from its total, because few are known below. */
const OF_THOSE_DOWN_TO =
  "CAST(?4 AS INTEGER) - (SELECT COUNT(*) FROM executions WHERE id >= CAST(?5 AS INTEGER) AND id < CAST(?1 AS INTEGER))";

/** How much of a window is known, from when to when, and which executions could not be read. */
export interface KnownCoverage extends Readonly<Span> {
  /** The newest executions that n8n did not return, or not completely. */
  readonly problems: readonly Omit<z.infer<typeof problemRow>, "count">[];
  readonly problemCount: number;
  /** Executions known only in part because of their contents: for each reason the newest, and how many there are. */
  readonly inPart: readonly z.infer<typeof problemRow>[];
  /** Running executions of the window that were never read, also below the known range: n8n lists them separately. */
  readonly unreadRunning: UnreadRunning;
}

export class VisibleCounts {
  readonly #database: IndexReader<NarrowedSql>;
  readonly #counts: ExecutionCounts;

  constructor(database: IndexReader<NarrowedSql>, counts: ExecutionCounts) {
    this.#database = database;
    this.#counts = counts;
  }

  get all(): number {
    const { ids } = this.#database.sql.view;
    return ids === null ? this.#counts.all : this.#counts.of(ids);
  }

  /** The latest start of all executions, ISO 8601; null if none has begun. */
  get newestStart(): string | null {
    return this.#database.row(
      newestRow,
      `SELECT MAX(started_at) AS startedAt FROM executions WHERE id >= (SELECT id FROM executions
         WHERE id <= CAST(? AS INTEGER) AND started_at IS NOT NULL ORDER BY executions.id DESC LIMIT 1) - ${QUEUED_IDS}`,
      this.#bounds.highest,
    ).startedAt;
  }

  /** The ids of all executions are within these. */
  get #bounds(): typeof ALL_IDS {
    const { ids } = this.#database.sql.view;
    return ids === null ? ALL_IDS : (this.#counts.boundsOf(ids) ?? NO_IDS);
  }

  coverage(window: TraceWindow, downTo: string): KnownCoverage {
    const where = `${IN_WINDOW} AND id >= CAST(?4 AS INTEGER)`;
    const bindings = [...windowBindings(window), downTo] as const;
    const all = [...bindings, KNOWN_IN_PART_LIST, RUNS_UNREAD] as const;
    const those = `FROM executions WHERE ${where} AND problem IS NOT NULL AND problem`;
    const listed = "IN (SELECT value FROM json_each(?5))";
    const problems = this.#database.rows(
      problemRow,
      `SELECT CAST(id AS TEXT) AS executionId, problem AS reason, COUNT(*) OVER () AS count ${those} NOT ${listed} AND problem <> ?6
       ORDER BY executions.id DESC LIMIT ${MAX_PROBLEMS}`,
      ...all,
    );
    return {
      ...(isWholeHistory(window) ? this.#spanDownTo(downTo) : this.#spanWhere(where, bindings)),
      problems: problems.map(({ executionId, reason }) => ({ executionId, reason })),
      problemCount: problems[0]?.count ?? 0,
      inPart: this.#database.rows(
        problemRow,
        `SELECT CAST(MAX(id) AS TEXT) AS executionId, problem AS reason, COUNT(*) AS count ${those} ${listed}
         AND is_deleted = 0 GROUP BY problem ORDER BY MAX(id) DESC`,
        ...bindings,
        KNOWN_IN_PART_LIST,
      ),
      unreadRunning: this.unreadRunning(window, downTo),
    };
  }

  /** Running executions of the window that were never read. @param downTo those from this id up are also `counted` */
  unreadRunning(window: TraceWindow, downTo: string): UnreadRunning {
    return this.#database.row(
      unreadRow,
      `SELECT COUNT(*) AS count, COALESCE(SUM(id >= CAST(?4 AS INTEGER)), 0) AS counted,
       CAST(MAX(id) AS TEXT) AS newestId FROM executions WHERE ${IN_WINDOW} AND problem = ?5 AND is_deleted = 0`,
      ...windowBindings(window),
      downTo,
      RUNS_UNREAD,
    );
  }

  #spanWhere(where: string, bindings: readonly (string | null)[]): Span {
    return this.#database.row(
      spanRow,
      `SELECT COUNT(*) AS executions, MIN(started_at) AS "from", MAX(started_at) AS "to",
       CAST(MIN(id) AS TEXT) AS lowest, CAST(MAX(id) AS TEXT) AS highest FROM executions WHERE ${where}`,
      ...bindings,
    );
  }

  /** Avoids reading all rows: ids ascend in the order of starts, and the id range of a view is known. */
  #spanDownTo(id: string): Span {
    const { ids } = this.#database.sql.view;
    const bounds = this.#bounds;
    const from = "FROM executions WHERE id BETWEEN CAST(?2 AS INTEGER) AND CAST(?3 AS INTEGER)";
    const counted = ids === null ? COUNTED_DOWN_TO : OF_THOSE_DOWN_TO;
    const span = this.#database.row(
      spanRow,
      `SELECT CAST((SELECT MIN(id) ${from}) AS TEXT) AS lowest, CAST((SELECT MAX(id) ${from}) AS TEXT) AS highest,
       (SELECT started_at ${from} AND started_at IS NOT NULL ORDER BY id LIMIT 1) AS "from",
       (SELECT started_at ${from} AND started_at IS NOT NULL ORDER BY id DESC LIMIT 1) AS "to",
       ${counted} AS executions`,
      id,
      higherOf(id, bounds.lowest),
      bounds.highest,
      ...(ids === null ? [] : [this.#counts.of(ids), bounds.lowest]),
    );
    if (ids !== null && span.lowest !== null && !isNewer(id, bounds.lowest))
      this.#counts.raiseLowest(ids, span.lowest);
    return span;
  }
}
