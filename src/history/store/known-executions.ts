/** What is known of executions, asked for by id or by window: their facts, what has not ended, what was not read. */
import * as z from "zod";
import type { ExecutionFacts } from "../../executions/execution-facts.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import type { Milestone } from "../report/index-report.ts";
import type { IdRange } from "./gaps.ts";
import type { IndexDatabase } from "./index-database.ts";
import { SELECTED_FACTS, toFacts } from "./stored-facts.ts";
import { EXECUTION_COLUMNS, executionRow, IN_WINDOW, windowBindings } from "./tables.ts";
import type { TraceWindow } from "./trace-window.ts";
import { type TracedExecution, tracedExecution } from "./traced-execution.ts";

export const MAX_UNFINISHED = 1_000;
/** Tried again by each trace. */
const MAX_UNREAD = 100;

const KNOWN = `${IN_WINDOW} AND is_deleted = 0 AND status NOT IN ('running', 'new', 'unknown')
  AND executions.id <= CAST(?4 AS INTEGER) AND executions.id >= CAST(?5 AS INTEGER)`;

/** As n8n lists it. */
const itemRow = tracedExecution.pick({
  ...{ id: true, workflowId: true, mode: true, status: true, startedAt: true, stoppedAt: true },
  ...{ waitTill: true, retryOf: true, retrySuccessId: true },
});
const callRow = z.object({ executionId: z.string(), nodeName: z.string() });
const startRow = z.object({ startedAt: z.string().nullable() });

export class KnownExecutions {
  readonly #database: IndexDatabase;

  constructor(database: IndexDatabase) {
    this.#database = database;
  }

  /** The executions with these ids, as far as they are known. */
  withIds(ids: readonly string[]): TracedExecution[] {
    const rows = this.#database.exec(
      `SELECT ${EXECUTION_COLUMNS} FROM executions WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    );
    return rows.map((row) => {
      const facts = executionRow.parse(row);
      return { ...facts, subExecutions: this.#callsOf(facts.id) };
    });
  }

  #callsOf(id: string): { executionId: string; nodeName: string }[] {
    return this.#database
      .exec(
        "SELECT CAST(child_id AS TEXT) AS executionId, node_name AS nodeName FROM calls WHERE caller_id = ? ORDER BY child_id",
        id,
      )
      .map((row) => callRow.parse(row));
  }

  /** What was found in it; null where it is not known, or was not read. */
  factsOf(id: string): ExecutionFacts | null {
    const [row] = this.#database.exec(
      `SELECT ${SELECTED_FACTS} FROM executions WHERE id = ? AND is_read = 1`,
      id,
    );
    return row === undefined ? null : toFacts(row);
  }

  /** When the execution began, ISO 8601; null where it is not known, or has not begun. */
  startOf(id: string): string | null {
    const [row] = this.#database.exec("SELECT started_at AS startedAt FROM executions WHERE id = ?", id);
    return row === undefined ? null : startRow.parse(row).startedAt;
  }

  /** How many executions with a lower id are known that had ended, counted up to `most`. */
  endedBelow(id: string, most: number): number {
    const found = this.#database.exec(
      `SELECT 1 FROM executions WHERE id < CAST(? AS INTEGER)
       AND status NOT IN ('running', 'waiting', 'new', 'unknown') LIMIT ?`,
      id,
      most,
    );
    return found.length;
  }

  /** The newest; null while there is none. */
  get newest(): Milestone | null {
    const [id] = this.#database.ids(
      "SELECT CAST(id AS TEXT) AS id FROM executions ORDER BY executions.id DESC LIMIT 1",
    );
    return id === undefined ? null : { id, startedAt: this.startOf(id) };
  }

  /** The id of the one that is so far below the newest, 0 for the newest itself; null when there are not so many. */
  idAt(place: number): string | null {
    const [id] = this.#database.ids(
      "SELECT CAST(id AS TEXT) AS id FROM executions ORDER BY executions.id DESC LIMIT 1 OFFSET ?",
      place,
    );
    return id ?? null;
  }

  /** Those of the window that had not ended when they were read, newest first, one more than are looked after. */
  unfinishedIn(window: TraceWindow): TracedExecution[] {
    const rows = this.#database.exec(
      `SELECT ${EXECUTION_COLUMNS} FROM executions
       WHERE ${IN_WINDOW} AND status IN ('running', 'waiting', 'new', 'unknown') AND is_deleted = 0
       ORDER BY executions.id DESC LIMIT ${MAX_UNFINISHED + 1}`,
      ...windowBindings(window),
    );
    return rows.map((row) => ({ ...executionRow.parse(row), subExecutions: [] }));
  }

  /** Ids of listed executions of the window that n8n failed to give, the newest of them. */
  unreadIn(window: TraceWindow): string[] {
    return this.#database.ids(
      `SELECT CAST(id AS TEXT) AS id FROM executions WHERE ${IN_WINDOW} AND is_read = 0
       ORDER BY executions.id DESC LIMIT ${MAX_UNREAD}`,
      ...windowBindings(window),
    );
  }

  /**
   * Those of the window that n8n still has, as n8n lists them, newest first, from one id down to another. What runs is
   * not among them: it is read each time.
   */
  listedIn(window: TraceWindow, { high, low }: IdRange): ExecutionListItem[] {
    return this.#database
      .exec(
        `SELECT CAST(id AS TEXT) AS id, workflow_id AS workflowId, status, mode, started_at AS startedAt,
       stopped_at AS stoppedAt, wait_till AS waitTill, CAST(retry_of AS TEXT) AS retryOf,
       CAST(retry_success_id AS TEXT) AS retrySuccessId FROM executions
       WHERE ${KNOWN} ORDER BY executions.id DESC`,
        ...windowBindings(window),
        high,
        low,
      )
      .map((row) => itemRow.parse(row));
  }
}
