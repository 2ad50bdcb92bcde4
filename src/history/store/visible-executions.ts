/** Executions as a view shows them. Links to hidden executions are removed; only their existence is reported. */
import * as z from "zod";
import type { IndexReader } from "./index-database.ts";
import type { NarrowedSql } from "./narrowed-sql.ts";
import { executionRow, linksOf, type TracedExecution } from "./traced-execution.ts";

const callRow = z.object({ callerId: z.string(), executionId: z.string(), nodeName: z.string() });
const ASKED = "(SELECT value FROM json_each(?))";
const otherRow = z.object({
  executionId: z.string(),
  role: z.enum(["caller", "sub_workflow", "error_handler"]),
});

/** A hidden workflow linked to a visible execution: its role, and nothing else. */
export type OtherWorkflow = Readonly<z.infer<typeof otherRow>>;

const ROLE = "CASE other.mode WHEN 'error' THEN 'error_handler' ELSE 'sub_workflow' END";
/** Takes a list of ids. An unknown execution may belong to any workflow. */
const OTHERS = `WITH own AS (SELECT value AS id FROM json_each(?1)),
  links AS (
    SELECT link.caller_id AS id, link.child_id AS other_id, ${ROLE} AS role
      FROM main.calls AS link LEFT JOIN main.executions AS other ON other.id = link.child_id
      WHERE link.caller_id IN (SELECT CAST(id AS INTEGER) FROM own)
    UNION SELECT other.parent_id, other.id, ${ROLE} FROM main.executions AS other
      WHERE other.parent_id IN (SELECT CAST(id AS INTEGER) FROM own) AND other.retry_of IS NULL
    UNION SELECT link.child_id, link.caller_id, 'caller' FROM main.calls AS link
      WHERE link.child_id IN (SELECT CAST(id AS INTEGER) FROM own)
    UNION SELECT called.id, called.parent_id, 'caller' FROM main.executions AS called
      WHERE called.id IN (SELECT CAST(id AS INTEGER) FROM own) AND called.parent_id IS NOT NULL)
  SELECT DISTINCT CAST(id AS TEXT) AS executionId, role FROM links
  WHERE NOT EXISTS (SELECT 1 FROM executions WHERE executions.id = links.other_id)
  ORDER BY links.id, role`;

export class VisibleExecutions {
  readonly #database: IndexReader<NarrowedSql>;

  constructor(database: IndexReader<NarrowedSql>) {
    this.#database = database;
  }

  withIds(ids: readonly string[]): TracedExecution[] {
    if (ids.length === 0) return [];
    const { view } = this.#database.sql;
    const calls = this.#callsOf(ids);
    const executions = this.#database
      .executions(executionRow, `WHERE id IN ${ASKED}`, JSON.stringify(ids))
      .map((execution) => ({ ...execution, subExecutions: calls(execution.id) }));
    if (view.ids === null) return executions;
    const hidden = this.#hiddenAmong(executions.flatMap(({ parentId }) => parentId ?? []));
    return executions.map((execution) => ({
      ...execution,
      parentId: hidden.has(execution.parentId ?? "") ? null : execution.parentId,
      unknownParentWorkflowId: view.has(execution.unknownParentWorkflowId)
        ? execution.unknownParentWorkflowId
        : null,
    }));
  }

  #callsOf(ids: readonly string[]): (id: string) => TracedExecution["subExecutions"] {
    const rows = this.#database.rows(
      callRow,
      `SELECT CAST(caller_id AS TEXT) AS callerId, CAST(child_id AS TEXT) AS executionId, node_name AS nodeName
       FROM calls WHERE caller_id IN ${ASKED} ORDER BY caller_id, child_id`,
      JSON.stringify(ids),
    );
    const calls = Map.groupBy(rows, ({ callerId }) => callerId);
    return (id) => (calls.get(id) ?? []).map(({ executionId, nodeName }) => ({ executionId, nodeName }));
  }

  #hiddenAmong(ids: readonly string[]): ReadonlySet<string> {
    const hidden = this.#database.ids(
      `SELECT CAST(id AS TEXT) AS id FROM main.executions AS other WHERE id IN ${ASKED}
       AND NOT EXISTS (SELECT 1 FROM executions WHERE executions.id = other.id)`,
      JSON.stringify(ids),
    );
    return new Set(hidden);
  }

  /** Whether the execution is unknown, so that it may belong to any workflow. */
  isUnknown(id: string): boolean {
    return (
      this.#database.ids("SELECT CAST(id AS TEXT) AS id FROM main.executions WHERE id = ?", id).length === 0
    );
  }

  /** Whether an execution from this id up belongs to no known workflow. */
  hasOfUnknownWorkflow(downTo: string): boolean {
    const query = `SELECT CAST(id AS TEXT) AS id FROM main.executions
      WHERE problem IS NOT NULL AND workflow_id = '' AND id >= CAST(? AS INTEGER) LIMIT 1`;
    return this.#database.ids(query, downTo).length > 0;
  }

  /** The hidden workflows linked to these executions, each role once per execution: how often is not disclosed. */
  otherWorkflowsOf(ids: readonly string[]): OtherWorkflow[] {
    if (this.#database.sql.view.ids === null) return [];
    return this.#database.rows(otherRow, OTHERS, JSON.stringify(ids));
  }

  /** Removes links to executions that are not visible, which may belong to any workflow. */
  onlyVisible(executions: readonly TracedExecution[]): TracedExecution[] {
    if (this.#database.sql.view.ids === null) return [...executions];
    const linked = JSON.stringify(executions.flatMap(linksOf));
    const there = new Set(this.#database.executionIds(`WHERE id IN ${ASKED}`, linked));
    return executions.map(({ parentId, subExecutions, ...execution }) => ({
      ...execution,
      parentId: parentId !== null && there.has(parentId) ? parentId : null,
      subExecutions: subExecutions.filter(({ executionId }) => there.has(executionId)),
    }));
  }
}
