/**
 * The stored states of each user's traces, in any SQLite. Bounded in number and age. A trace belongs to its user: for
 * anyone else it does not exist.
 *
 * Writes are delayed and batched, so that no answer waits for the disk; states that must survive a restart are written
 * at once. A caller that continues a trace lost in a restart is told to start again, which reads nothing twice.
 */
import * as z from "zod";
import type { Clock } from "../../platform/clock.ts";
import { DAY_MS } from "../../platform/durations.ts";
import type { Sql } from "../../platform/sql.ts";
import { type OwnTraces, traceState } from "./trace-state.ts";

export const TRACE_LIFETIME_MS = DAY_MS;
/** Maximum per user of unfinished and of complete traces each; the oldest are removed. */
export const MAX_TRACES = 50;
/** Later than most answers to callers who ask at the same moment. */
const WRITE_DELAY_MS = 1_000;

const stateRow = z.object({ state: z.string() });

interface UnwrittenState {
  readonly userId: string;
  readonly state: string;
  /** Epoch ms. */
  readonly expiresAt: number;
}

export class TraceStates {
  readonly #sql: Sql;
  /** By trace id. */
  readonly #unwritten = new Map<string, UnwrittenState>();
  #isToBeWritten = false;

  constructor(sql: Sql) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS traces (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, state TEXT NOT NULL, expires_at INTEGER NOT NULL)",
    );
    sql.exec("CREATE INDEX IF NOT EXISTS traces_by_user ON traces (user_id, expires_at)");
    sql.exec("CREATE INDEX IF NOT EXISTS traces_by_end ON traces (expires_at)");
  }

  /** One user's traces. Each save extends a trace's lifetime; a state of another shape is ignored. */
  of(userId: string, { now }: Clock): OwnTraces {
    return {
      load: (traceId) => {
        const state = this.#stateOf(traceId, userId, now());
        return state === undefined ? null : (traceState.safeParse(JSON.parse(state)).data ?? null);
      },
      save: (traceId, state) => {
        if (!this.#isToBeWritten) setTimeout(() => this.#writeIfPossible(), WRITE_DELAY_MS);
        this.#isToBeWritten = true;
        const expiresAt = now() + TRACE_LIFETIME_MS;
        this.#unwritten.set(traceId, { userId, state: JSON.stringify(state), expiresAt });
      },
    };
  }

  /** @throws what the database throws; they are then written with the next batch */
  write(): void {
    const all = [...this.#unwritten];
    for (const [traceId, { userId, state, expiresAt }] of all)
      this.#sql.exec(
        "INSERT OR REPLACE INTO traces (id, user_id, state, expires_at) VALUES (?, ?, ?, ?)",
        traceId,
        userId,
        state,
        expiresAt,
      );
    const users = JSON.stringify([...new Set(all.map(([, { userId }]) => userId))]);
    this.#sql.exec(
      `DELETE FROM traces WHERE id IN (SELECT id FROM
         (SELECT id, ROW_NUMBER() OVER
           (PARTITION BY user_id, COALESCE(json_extract(state, '$.isComplete'), 0) ORDER BY expires_at DESC) AS place
          FROM traces WHERE user_id IN (SELECT value FROM json_each(?))) WHERE place > ?)`,
      users,
      MAX_TRACES,
    );
    this.#unwritten.clear();
  }

  #writeIfPossible(): void {
    this.#isToBeWritten = false;
    try {
      this.write();
    } catch {
      // They stay in memory, and no caller waits. Later queries of this database report what is wrong with it.
    }
  }

  #stateOf(traceId: string, userId: string, now: number): string | undefined {
    const unwritten = this.#unwritten.get(traceId);
    if (unwritten !== undefined) return unwritten.userId === userId ? unwritten.state : undefined;
    const [found] = this.#sql.exec(
      "SELECT state FROM traces WHERE id = ? AND user_id = ? AND expires_at > ?",
      traceId,
      userId,
      now,
    );
    return found && stateRow.parse(found).state;
  }

  prune(now: number): void {
    this.#sql.exec("DELETE FROM traces WHERE expires_at <= ?", now);
  }
}
