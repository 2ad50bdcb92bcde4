/**
 * The tables of the index as a view shows them: the single place where queries are restricted to what a caller may see.
 * The queries are the same for all callers; hidden rows are in no table that they name.
 *
 * - `executions` has those of the view's workflows.
 * - `calls` has no call from or to an execution that is known to belong to another workflow.
 * - `judgements` is empty, because they may rest on executions of other workflows.
 *
 * `main.executions` is the table itself. The scan, which reads for all callers, uses no view.
 */

import type { View } from "../../n8n/view.ts";
import { memoizeLast } from "../../platform/memoize.ts";
import type { Queryable, SqlBinding, SqlRow } from "../../platform/sql.ts";
import type { ExecutionCounts } from "./execution-counts.ts";

const SEEN = "SELECT value FROM json_each(?1)";
const NARROWED = `executions AS NOT MATERIALIZED (SELECT * FROM main.executions WHERE workflow_id IN (${SEEN})),
  calls AS NOT MATERIALIZED (SELECT * FROM main.calls AS link WHERE NOT EXISTS (
    SELECT 1 FROM main.executions AS other
    WHERE other.id IN (link.caller_id, link.child_id) AND other.workflow_id NOT IN (${SEEN}))),
  judgements AS (SELECT * FROM main.judgements WHERE FALSE)`;

export class NarrowedSql implements Queryable {
  readonly view: View;
  readonly #sql: Queryable;
  readonly #counts: ExecutionCounts;
  /**
   * The view's workflows that have rows, as JSON: SQLite parses the list in each statement, so it should be short. And
   * the number of workflows with rows when it was made.
   */
  #seen = { json: "[]", of: -1 };

  constructor(sql: Queryable, view: View, counts: ExecutionCounts) {
    this.#sql = sql;
    this.view = view;
    this.#counts = counts;
  }

  exec(query: string, ...bindings: SqlBinding[]): Iterable<SqlRow> {
    const { ids } = this.view;
    if (ids === null) return this.#sql.exec(query, ...bindings);
    return this.#sql.exec(narrowed(query), this.#seenNow(ids), ...bindings);
  }

  #seenNow(ids: readonly string[]): string {
    const of = this.#counts.knownWorkflows;
    if (this.#seen.of !== of) this.#seen = { json: JSON.stringify(this.#counts.known(ids)), of };
    return this.#seen.json;
  }
}

/** Queries are constants, so each is rewritten only once. */
const narrowed = memoizeLast((query) => {
  const [, recursive = "", others] = /^\s*WITH\s+(RECURSIVE\s+)?(.*)$/s.exec(query) ?? [];
  const rest = shifted(others ?? query);
  return `WITH ${recursive}${NARROWED}${others === undefined ? "" : ","} ${rest}`;
}, 500);

/** Increments each parameter, because the view is the first. A bare `?` follows the highest parameter before it. */
function shifted(query: string): string {
  let highest = 0;
  return query.replace(/\?(\d+)?/g, (_parameter, place?: string) => {
    const own = place === undefined ? highest + 1 : Number(place);
    highest = Math.max(highest, own);
    return `?${own + 1}`;
  });
}
