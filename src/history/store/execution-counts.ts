/** How many executions are known, counted as they come and go: a walk over all of them would read each row. */
import * as z from "zod";
import { type RowCounts, rowCounts } from "../report/index-report.ts";
import type { IndexDatabase } from "./index-database.ts";
import { COUNTED_IDS } from "./tables.ts";

const countRow = z.object({ count: z.number() });

export class ExecutionCounts {
  readonly #database: IndexDatabase;

  constructor(database: IndexDatabase) {
    this.#database = database;
  }

  /** Rows have come (`+`), or gone. */
  note(sign: "+" | "-", ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#database.exec(
      `INSERT INTO counts SELECT value / ${COUNTED_IDS}, 0 ${sign} COUNT(*) FROM json_each(?) WHERE true GROUP BY 1
       ON CONFLICT (ids) DO UPDATE SET executions = executions + excluded.executions`,
      JSON.stringify(ids),
    );
  }

  get all(): number {
    return this.#countOf("SELECT COALESCE(SUM(executions), 0) AS count FROM counts");
  }

  /** From the newest execution down to this one. */
  downTo(id: string): number {
    return this.#countOf(
      `SELECT (SELECT COUNT(*) FROM executions
               WHERE id BETWEEN CAST(?1 AS INTEGER) AND (CAST(?1 AS INTEGER) / ${COUNTED_IDS} + 1) * ${COUNTED_IDS} - 1)
        + (SELECT COALESCE(SUM(executions), 0) FROM counts WHERE ids > CAST(?1 AS INTEGER) / ${COUNTED_IDS}) AS count`,
      id,
    );
  }

  /** Walks over all rows. */
  byKind(): RowCounts {
    const [row] = this.#database.exec(
      `SELECT COUNT(*) AS known, COUNT(*) FILTER (WHERE is_deleted = 1) AS deleted,
       COUNT(*) FILTER (WHERE is_read = 0) AS unread,
       COUNT(*) FILTER (WHERE is_read = 1 AND problem IS NOT NULL) AS partlyRead FROM executions`,
    );
    return rowCounts.parse(row);
  }

  #countOf(query: string, ...bindings: string[]): number {
    const [row] = this.#database.exec(query, ...bindings);
    return countRow.parse(row).count;
  }
}
