/**
 * The history in figures. The number of known executions is updated as they are added and removed: counting them would
 * read every row.
 */
import * as z from "zod";
import { type RowCounts, rowCounts } from "../report/index-report.ts";
import type { IndexDatabase } from "./index-database.ts";
import { COUNTED_IDS } from "./tables.ts";

const countRow = z.object({ count: z.number() });
const countedRow = countRow.extend({ workflowId: z.string() });

/** An execution that was added or removed. */
interface Counted {
  readonly id: string;
  readonly workflowId: string;
}

export class ExecutionCounts {
  readonly #database: IndexDatabase;
  /** Null until somebody asks who sees some workflows only. */
  #ofWorkflows: Map<string, number> | null = null;

  constructor(database: IndexDatabase) {
    this.#database = database;
  }

  note(sign: "+" | "-", executions: readonly Counted[]): void {
    if (executions.length === 0) return;
    this.#database.exec(
      `INSERT INTO counts SELECT value / ${COUNTED_IDS}, 0 ${sign} COUNT(*) FROM json_each(?) WHERE true GROUP BY 1
       ON CONFLICT (ids) DO UPDATE SET executions = executions + excluded.executions`,
      JSON.stringify(executions.map(({ id }) => id)),
    );
    const counted = this.#ofWorkflows;
    if (counted === null) return;
    for (const { workflowId } of executions)
      counted.set(workflowId, (counted.get(workflowId) ?? 0) + (sign === "+" ? 1 : -1));
  }

  of(workflowIds: readonly string[]): number {
    const counted = this.#byWorkflow();
    return workflowIds.reduce((sum, id) => sum + (counted.get(id) ?? 0), 0);
  }

  /** Those of the workflows that have ever run: the others have no row. */
  known(workflowIds: readonly string[]): string[] {
    const counted = this.#byWorkflow();
    return workflowIds.filter((id) => counted.has(id));
  }

  /** Grows with each workflow that has its first execution. */
  get knownWorkflows(): number {
    return this.#byWorkflow().size;
  }

  /** Walks over all rows once in the life of this object. */
  #byWorkflow(): Map<string, number> {
    this.#ofWorkflows ??= new Map(
      this.#database
        .rows(countedRow, "SELECT workflow_id AS workflowId, COUNT(*) AS count FROM executions GROUP BY 1")
        .map(({ workflowId, count }) => [workflowId, count]),
    );
    return this.#ofWorkflows;
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
