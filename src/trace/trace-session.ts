/**
 * One per user: what that user's traces remember between calls, so that a `traceId` goes on where the
 * last call stopped, from another client too. No payload. Survives eviction; expires by alarm.
 *
 * Another user's object is another object: there is no way from a `traceId` to someone else's trace.
 */
import { DurableObject } from "cloudflare:workers";
import * as z from "zod";
import { type TraceState, traceState } from "./trace-state.ts";

/** A trace can be gone on with for a day. */
export const TRACE_LIFETIME_MS = 24 * 60 * 60 * 1_000;
/** A user's oldest traces make room for new ones. */
export const MAX_TRACES = 50;

const row = z.object({ state: z.string() });

export class TraceSession extends DurableObject<Env> {
  readonly #sql: SqlStorage;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS traces (id TEXT PRIMARY KEY, state TEXT NOT NULL, expires_at INTEGER NOT NULL)",
    );
  }

  /** The state of a trace as JSON text, or null when there is none, it has expired or its shape is old. */
  async load(traceId: string): Promise<string | null> {
    const [found] = this.#sql.exec(
      "SELECT state FROM traces WHERE id = ? AND expires_at > ?",
      traceId,
      Date.now(),
    );
    return found === undefined ? null : row.parse(found).state;
  }

  /** Keeps a trace's state and its life begins anew. */
  async save(traceId: string, state: string): Promise<void> {
    const expiresAt = Date.now() + TRACE_LIFETIME_MS;
    this.#sql.exec(
      "INSERT OR REPLACE INTO traces (id, state, expires_at) VALUES (?, ?, ?)",
      traceId,
      state,
      expiresAt,
    );
    this.#sql.exec(
      "DELETE FROM traces WHERE id NOT IN (SELECT id FROM traces ORDER BY expires_at DESC LIMIT ?)",
      MAX_TRACES,
    );
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(expiresAt);
  }

  /** Forgets what has expired, and wakes again for what has not. */
  override async alarm(): Promise<void> {
    this.#sql.exec("DELETE FROM traces WHERE expires_at <= ?", Date.now());
    const [next] = this.#sql.exec("SELECT MIN(expires_at) AS at FROM traces");
    const at = z.object({ at: z.number().nullable() }).parse(next).at;
    if (at !== null) await this.ctx.storage.setAlarm(at);
  }
}

/** What a trace needs to remember itself by. */
export interface TraceStore {
  load(traceId: string): Promise<TraceState | null>;
  save(traceId: string, state: TraceState): Promise<void>;
}

/** The calling user's store. A state whose shape is not the present one counts as gone. */
export function traceStoreOf(namespace: DurableObjectNamespace<TraceSession>, userId: string): TraceStore {
  const session = namespace.get(namespace.idFromName(userId));
  return {
    async load(traceId) {
      const text = await session.load(traceId);
      if (text === null) return null;
      const parsed = traceState.safeParse(JSON.parse(text));
      return parsed.success ? parsed.data : null;
    },
    async save(traceId, state) {
      await session.save(traceId, JSON.stringify(state));
    },
  };
}
