/**
 * Where each user's traces stand, in any SQLite. Bounded in number and age. A trace is worth something to its user
 * alone: for anyone else there is none.
 */
import * as z from "zod";
import type { Clock } from "../../platform/clock.ts";
import type { Sql } from "../../platform/sql.ts";
import { type OwnTraces, traceState } from "./trace-state.ts";

/** A trace can be continued for a day. */
export const TRACE_LIFETIME_MS = 24 * 60 * 60 * 1_000;
/** A user's oldest traces make room for new ones. */
export const MAX_TRACES = 50;

const stateRow = z.object({ state: z.string() });

export class TraceStates {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS traces (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, state TEXT NOT NULL, expires_at INTEGER NOT NULL)",
    );
    sql.exec("CREATE INDEX IF NOT EXISTS traces_by_user ON traces (user_id, expires_at)");
  }

  /** One user's traces. Each save restarts a trace's lifetime; a state of another shape is ignored. */
  of(userId: string, { now }: Clock): OwnTraces {
    const sql = this.#sql;
    return {
      load: (traceId) => {
        const [found] = sql.exec(
          "SELECT state FROM traces WHERE id = ? AND user_id = ? AND expires_at > ?",
          traceId,
          userId,
          now(),
        );
        if (found === undefined) return null;
        return traceState.safeParse(JSON.parse(stateRow.parse(found).state)).data ?? null;
      },
      save: (traceId, state) => {
        sql.exec(
          "INSERT OR REPLACE INTO traces (id, user_id, state, expires_at) VALUES (?, ?, ?, ?)",
          traceId,
          userId,
          JSON.stringify(state),
          now() + TRACE_LIFETIME_MS,
        );
        sql.exec(
          `DELETE FROM traces WHERE user_id = ?1 AND id NOT IN
           (SELECT id FROM traces WHERE user_id = ?1 ORDER BY expires_at DESC LIMIT ?2)`,
          userId,
          MAX_TRACES,
        );
      },
    };
  }

  /** Forgets those that have expired. */
  prune(now: number): void {
    this.#sql.exec("DELETE FROM traces WHERE expires_at <= ?", now);
  }
}
