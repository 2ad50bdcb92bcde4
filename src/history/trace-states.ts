/** Where a user's traces stand, in any SQLite. Bounded in number and age. */
import * as z from "zod";
import type { Sql } from "../platform/sql.ts";

/** A trace can be gone on with for a day. */
export const TRACE_LIFETIME_MS = 24 * 60 * 60 * 1_000;
/** A user's oldest traces make room for new ones. */
export const MAX_TRACES = 50;

const stateRow = z.object({ state: z.string() });
const idRow = z.object({ id: z.string() });

export class TraceStates {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS traces (id TEXT PRIMARY KEY, state TEXT NOT NULL, expires_at INTEGER NOT NULL)",
    );
  }

  load(traceId: string, now: number): string | null {
    const [found] = this.#sql.exec("SELECT state FROM traces WHERE id = ? AND expires_at > ?", traceId, now);
    return found === undefined ? null : stateRow.parse(found).state;
  }

  /** @returns the ids of the traces that had to make room */
  save(traceId: string, state: string, now: number): string[] {
    this.#sql.exec(
      "INSERT OR REPLACE INTO traces (id, state, expires_at) VALUES (?, ?, ?)",
      traceId,
      state,
      now + TRACE_LIFETIME_MS,
    );
    return this.#delete("id NOT IN (SELECT id FROM traces ORDER BY expires_at DESC LIMIT ?)", MAX_TRACES);
  }

  /** @returns the ids of the traces that had expired */
  prune(now: number): string[] {
    return this.#delete("expires_at <= ?", now);
  }

  clear(): void {
    this.#sql.exec("DELETE FROM traces");
  }

  /** Epoch ms; null when there is no trace. */
  nextExpiry(): number | null {
    const [next] = this.#sql.exec("SELECT MIN(expires_at) AS at FROM traces");
    return z.object({ at: z.number().nullable() }).parse(next).at;
  }

  #delete(condition: string, binding: number): string[] {
    return [...this.#sql.exec(`DELETE FROM traces WHERE ${condition} RETURNING id`, binding)].map(
      (row) => idRow.parse(row).id,
    );
  }
}
