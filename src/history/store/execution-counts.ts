/** Counts of the known executions. The total is kept up to date, because counting would read every row. */
import * as z from "zod";
import { higherOf, lowerOf } from "../../platform/id-order.ts";
import { type RowCounts, rowCounts } from "../report/index-report.ts";
import type { IndexDatabase } from "./index-database.ts";
import { COUNTED_IDS } from "./tables.ts";

const countRow = z.object({ count: z.number() });
const ofWorkflowRow = countRow.extend({ workflowId: z.string(), lowest: z.string(), highest: z.string() });
type OfWorkflow = Omit<z.infer<typeof ofWorkflowRow>, "workflowId">;

interface Counted {
  readonly id: string;
  readonly workflowId: string;
}

export class ExecutionCounts {
  readonly #database: IndexDatabase;
  /** Null until a caller with a restricted view asks. No execution has an id below `lowest` or above `highest`. */
  #ofWorkflows: Map<string, OfWorkflow> | null = null;

  constructor(database: IndexDatabase) {
    this.#database = database;
    database.onFailure(() => {
      this.#ofWorkflows = null;
    });
  }

  noteAdded(executions: readonly Counted[]): void {
    this.#add(1, executions);
    const all = this.#ofWorkflows;
    if (all === null) return;
    for (const { id, workflowId } of executions) {
      const { count, lowest, highest } = all.get(workflowId) ?? { count: 0, lowest: id, highest: id };
      all.set(workflowId, { count: count + 1, lowest: lowerOf(lowest, id), highest: higherOf(highest, id) });
    }
  }

  noteRemoved(executions: readonly Counted[]): void {
    this.#add(-1, executions);
    for (const { workflowId } of executions) {
      const known = this.#ofWorkflows?.get(workflowId);
      if (known !== undefined) this.#ofWorkflows?.set(workflowId, { ...known, count: known.count - 1 });
    }
  }

  #add(each: 1 | -1, executions: readonly Counted[]): void {
    if (executions.length === 0) return;
    this.#database.exec(
      `INSERT INTO counts SELECT value / ${COUNTED_IDS}, ${each} * COUNT(*) FROM json_each(?) WHERE true GROUP BY 1
       ON CONFLICT (ids) DO UPDATE SET executions = executions + excluded.executions`,
      JSON.stringify(executions.map(({ id }) => id)),
    );
  }

  of(workflowIds: readonly string[]): number {
    return this.#known(workflowIds).reduce((sum, [, { count }]) => sum + count, 0);
  }

  /** The range of ids that contains all executions of these workflows; null if there are none. */
  boundsOf(workflowIds: readonly string[]): Pick<OfWorkflow, "lowest" | "highest"> | null {
    const known = this.#known(workflowIds).map(([, one]) => one);
    if (known.length === 0) return null;
    return {
      lowest: known.map(({ lowest }) => lowest).reduce(lowerOf),
      highest: known.map(({ highest }) => highest).reduce(higherOf),
    };
  }

  /** Narrows the range after the oldest were deleted: a query has shown that there is no lower id. */
  raiseLowest(workflowIds: readonly string[], lowest: string): void {
    for (const [id, one] of this.#known(workflowIds))
      this.#ofWorkflows?.set(id, { ...one, lowest: higherOf(one.lowest, lowest) });
  }

  /** The workflows that have ever had an execution. */
  known(workflowIds: readonly string[]): string[] {
    return this.#known(workflowIds).map(([id]) => id);
  }

  #known(workflowIds: readonly string[]): [id: string, OfWorkflow][] {
    const all = this.#byWorkflow();
    return workflowIds.flatMap((id) => {
      const known = all.get(id);
      return known === undefined ? [] : [[id, known]];
    });
  }

  /** Increases with each workflow that gets its first execution. */
  get knownWorkflows(): number {
    return this.#byWorkflow().size;
  }

  /** Reads all rows, once in the lifetime of this object. */
  #byWorkflow(): Map<string, OfWorkflow> {
    this.#ofWorkflows ??= new Map(
      this.#database
        .rows(
          ofWorkflowRow,
          `SELECT workflow_id AS workflowId, COUNT(*) AS count, CAST(MIN(id) AS TEXT) AS lowest,
           CAST(MAX(id) AS TEXT) AS highest FROM executions GROUP BY 1`,
        )
        .map(({ workflowId, ...one }) => [workflowId, one]),
    );
    return this.#ofWorkflows;
  }

  get all(): number {
    return this.#database.row(countRow, "SELECT COALESCE(SUM(executions), 0) AS count FROM counts").count;
  }

  /** The id of the execution at this position, where the newest has 0; null if there are fewer. */
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

  /** Reads all rows. */
  byKind(): RowCounts {
    return this.#database.row(
      rowCounts,
      `SELECT COUNT(*) FILTER (WHERE is_deleted = 1) AS deleted,
       COUNT(*) FILTER (WHERE is_read = 0) AS unread,
       COUNT(*) FILTER (WHERE is_read = 1 AND problem IS NOT NULL) AS partlyRead FROM executions`,
    );
  }
}
