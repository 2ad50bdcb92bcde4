/**
 * The history in figures. The number of known executions is updated as they are added and removed: counting them would
 * read every row.
 */
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

  note(sign: "+" | "-", ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#database.exec(
      `INSERT INTO counts SELECT value / ${COUNTED_IDS}, 0 ${sign} COUNT(*) FROM json_each(?) WHERE true GROUP BY 1
       ON CONFLICT (ids) DO UPDATE SET executions = executions + excluded.executions`,
      JSON.stringify(ids),
    );
  }

  get all(): number {
    return this.#count("SELECT COALESCE(SUM(executions), 0) AS count FROM counts");
  }

  /** The id at this place below the newest, which has place 0; null when there are not so many. */
  idAt(place: number): string | null {
    const [id] = this.#database.ids(
      `WITH below AS (SELECT ids, executions, SUM(executions) OVER (ORDER BY ids DESC) AS counted FROM counts),
       around AS (SELECT ids, counted FROM below WHERE counted > ?1 AND counted - executions <= ?1),
       places AS (SELECT id, counted - ROW_NUMBER() OVER (ORDER BY id) AS place FROM around, executions
         WHERE id BETWEEN ids * ${COUNTED_IDS} AND (ids + 1) * ${COUNTED_IDS} - 1)
       SELECT CAST(id AS TEXT) AS id FROM places WHERE place = ?1`,
      place,
    );
    return id ?? null;
  }

  /** Walks over all rows. */
  byKind(): RowCounts {
    const [row] = this.#database.exec(
      `SELECT COUNT(*) FILTER (WHERE is_deleted = 1) AS deleted,
       COUNT(*) FILTER (WHERE is_read = 0) AS unread,
       COUNT(*) FILTER (WHERE is_read = 1 AND problem IS NOT NULL) AS partlyRead FROM executions`,
    );
    return rowCounts.parse(row);
  }

  #count(query: string, ...bindings: (string | null)[]): number {
    const [row] = this.#database.exec(query, ...bindings);
    return countRow.parse(row).count;
  }
}
