/**
 * The lines of the activity log in SQLite. Limits: their age, their number, the size of a line, and how many strangers
 * can add in a day. Every method is synchronous. No clock.
 */
import * as z from "zod";
import { DAY_MS, MINUTE_MS } from "../platform/durations.ts";
import { readRows, type Sql } from "../platform/sql.ts";
import { type ActivityEntry, BY_STRANGERS, type FloodEntry, type KeptEntry, keptEntry } from "./entry.ts";

/** The oldest are removed first. About 500 bytes each: half a gigabyte of an object's limit of ten. */
export const MAX_ENTRIES = 1_000_000;
/** Beyond this, what strangers cause (wrong passphrases and the like) is only counted. */
export const MAX_STRANGER_ENTRIES_A_DAY = 500;
export const MAX_LINE_LENGTH = 4_096;
/** Rows without a name: some people begin a sign-in each hour. The limits of registration bound the names. */
const MAX_CLIENTS = 10_000;
/** A client's last use is written at most this often. */
const LAST_USED_PRECISION_MS = 5 * MINUTE_MS;

/** Reading continues after the entry with this time and number. */
export interface Position {
  /** Epoch ms. */
  readonly at: number;
  readonly id: number;
}

export interface Window {
  /** Epoch ms, inclusive. */
  readonly since: number;
  /** Epoch ms, exclusive. */
  readonly until: number;
}

export interface ActivityPage {
  readonly entries: readonly KeptEntry[];
  /** Absent at the end of the window. */
  readonly next?: Position;
}

export interface OutcomeCounts {
  readonly calls: Readonly<Record<string, number>>;
  /** `not_kept` counts what strangers caused and was not stored. */
  readonly signIns: Readonly<Record<string, number>>;
}

/** A row is about a client, of which it has the name, or about a sign-in or service token, of which it has the last use. */
export interface ClientFacts {
  readonly name: string | null;
  /** Epoch ms, to within five minutes; null if it has not been used. */
  readonly lastUsedAt: number | null;
}

const entryRow = z.object({ id: z.int(), at: z.int(), line: z.string(), client_name: z.string().nullable() });
const clientRow = z.object({ id: z.string(), name: z.string().nullable(), last_used_at: z.int().nullable() });
const strangerRow = z.object({ kept: z.int(), not_kept: z.int(), first_not_kept: z.string().nullable() });
const outcomeRow = z.object({ event: z.string(), outcome: z.string(), count: z.int() });
const oldestRow = z.object({ at: z.int().nullable() });

export class ActivityRows {
  readonly #sql: Sql;
  readonly #maxEntries: number;
  /** When each client's use was last written, in epoch ms. */
  readonly #usedAt = new Map<string, number>();

  constructor(sql: Sql, maxEntries = MAX_ENTRIES) {
    this.#sql = sql;
    this.#maxEntries = maxEntries;
    for (const statement of [
      "CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, call_id TEXT UNIQUE, line TEXT NOT NULL, client_id TEXT)",
      "CREATE INDEX IF NOT EXISTS entries_by_time ON entries (at)",
      "CREATE TABLE IF NOT EXISTS clients (id TEXT PRIMARY KEY, name TEXT, last_used_at INTEGER, seen_at INTEGER NOT NULL)",
      "CREATE TABLE IF NOT EXISTS strangers (day INTEGER PRIMARY KEY, kept INTEGER NOT NULL, not_kept INTEGER NOT NULL, first_not_kept TEXT)",
    ])
      sql.exec(statement);
  }

  /** @returns how many old entries were deleted to make room @throws RangeError for a line that is too long */
  put(entries: readonly ActivityEntry[], now: number): number {
    for (const entry of entries) if (this.#admit(entry, now)) this.#write(entry, now);
    return this.#makeRoom();
  }

  /** The line of a finished call replaces that of its start. */
  #write(entry: ActivityEntry, now: number): void {
    const line = JSON.stringify(entry);
    if (line.length > MAX_LINE_LENGTH)
      throw new RangeError("The line is longer than a line of the activity log may be.");
    const callId = entry.event === "tool_call" ? entry.callId : null;
    const values = [Date.parse(entry.time), callId, line, entry.clientId ?? null] as const;
    // The two lines of a call may arrive in any order.
    const onConflict = entry.outcome === "unfinished" ? "NOTHING" : "UPDATE SET line = excluded.line";
    this.#sql.exec(
      `INSERT INTO entries (at, call_id, line, client_id) VALUES (?, ?, ?, ?) ON CONFLICT (call_id) DO ${onConflict}`,
      ...values,
    );
    this.#noteClient(entry, now);
  }

  page({ since, until }: Window, after: Position | undefined, limit: number): ActivityPage {
    const from = after ?? { at: since, id: 0 };
    const rows = readRows(
      this.#sql,
      entryRow,
      `SELECT entries.id, entries.at, line, clients.name AS client_name
       FROM entries LEFT JOIN clients ON clients.id = entries.client_id
       WHERE (at, entries.id) > (?, ?) AND at >= ? AND at < ? ORDER BY at, entries.id LIMIT ?`,
      from.at,
      from.id,
      since,
      until,
      limit,
    );
    const entries = rows.map(({ line, client_name: clientName }) =>
      named(keptEntry.parse(JSON.parse(line)), clientName),
    );
    const last = rows.at(-1);
    return last === undefined || rows.length < limit
      ? { entries: [...entries, ...this.#floods({ since, until })] }
      : { entries, next: { at: last.at, id: last.id } };
  }

  /** @param since epoch ms, inclusive */
  outcomes(since: number): OutcomeCounts {
    const rows = readRows(
      this.#sql,
      outcomeRow,
      `SELECT line ->> 'event' AS event, line ->> 'outcome' AS outcome, COUNT(*) AS count
       FROM entries WHERE at >= ? GROUP BY 1, 2 ORDER BY 3 DESC`,
      since,
    );
    const countsOf = (kind: KeptEntry["event"]) =>
      Object.fromEntries(
        rows.filter(({ event }) => event === kind).map(({ outcome, count }) => [outcome, count]),
      );
    // A flood that began earlier is left out: how much of it came since then is unknown.
    const notKept = this.#floods({ since, until: Number.MAX_SAFE_INTEGER })
      .filter(({ time }) => Date.parse(time) >= since)
      .reduce((sum, flood) => sum + flood.notKept, 0);
    const signIns = { ...countsOf("sign_in"), ...(notKept > 0 && { not_kept: notKept }) };
    return { calls: countsOf("tool_call"), signIns };
  }

  clients(ids: readonly string[]): Map<string, ClientFacts> {
    const query = "SELECT id, name, last_used_at FROM clients WHERE id = ?";
    const rows = ids.flatMap((id) => readRows(this.#sql, clientRow, query, id));
    return new Map(rows.map(({ id, name, last_used_at: lastUsedAt }) => [id, { name, lastUsedAt }]));
  }

  prune(before: number): void {
    this.#sql.exec("DELETE FROM entries WHERE at < ?", before);
    this.#sql.exec("DELETE FROM clients WHERE seen_at < ?", before);
    this.#sql.exec("DELETE FROM strangers WHERE day < ?", Math.floor(before / DAY_MS));
  }

  /** Epoch ms of the oldest entry; null when there is none. */
  oldest(): number | null {
    return readRows(this.#sql, oldestRow, "SELECT MIN(at) AS at FROM entries")[0]?.at ?? null;
  }

  #admit(entry: ActivityEntry, now: number): boolean {
    if (entry.event !== "sign_in" || !BY_STRANGERS.includes(entry.outcome)) return true;
    const day = Math.floor(now / DAY_MS);
    const [row] = readRows(
      this.#sql,
      strangerRow,
      `INSERT INTO strangers (day, kept, not_kept) VALUES (?, 1, 0) ON CONFLICT (day) DO UPDATE SET
         not_kept = not_kept + (kept >= ${MAX_STRANGER_ENTRIES_A_DAY}),
         first_not_kept = CASE WHEN kept >= ${MAX_STRANGER_ENTRIES_A_DAY} THEN COALESCE(first_not_kept, ?) END,
         kept = MIN(kept + 1, ${MAX_STRANGER_ENTRIES_A_DAY})
       RETURNING kept, not_kept, first_not_kept`,
      day,
      entry.time,
    );
    return row?.not_kept === 0;
  }

  #floods({ since, until }: Window): FloodEntry[] {
    const rows = readRows(
      this.#sql,
      strangerRow,
      "SELECT kept, not_kept, first_not_kept FROM strangers WHERE not_kept > 0 AND day >= ? AND day <= ? ORDER BY day",
      Math.floor(since / DAY_MS),
      Math.floor(until / DAY_MS),
    );
    return rows.flatMap(({ not_kept: notKept, first_not_kept: time }) =>
      time === null ? [] : [{ event: "sign_in_flood", time, notKept } as const],
    );
  }

  /** Entries about tokens have the client's name; tool calls show when a sign-in, or a service token, was last used. */
  #noteClient(entry: ActivityEntry, now: number): void {
    const isCall = entry.event === "tool_call";
    // By sign-in and not by client, because many people may use the same client.
    const id = isCall ? (entry.grantId ?? entry.clientId) : entry.clientId;
    if (id === undefined || (!isCall && BY_STRANGERS.includes(entry.outcome))) return;
    const usedAt = isCall ? now : null;
    if (usedAt !== null && entry.clientName === undefined) {
      const before = this.#usedAt.get(id);
      if (before !== undefined && now <= before + LAST_USED_PRECISION_MS) return;
      if (this.#usedAt.size >= MAX_CLIENTS) this.#usedAt.clear();
      this.#usedAt.set(id, now);
    }
    this.#sql.exec(
      `INSERT INTO clients (id, name, last_used_at, seen_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
         name = COALESCE(excluded.name, name), last_used_at = COALESCE(excluded.last_used_at, last_used_at),
         seen_at = excluded.seen_at
       WHERE (excluded.name IS NOT NULL AND excluded.name IS NOT name) OR excluded.seen_at > seen_at + ${LAST_USED_PRECISION_MS} OR last_used_at IS NULL`,
      id,
      entry.clientName ?? null,
      usedAt,
      now,
    );
    this.#sql.exec(
      `DELETE FROM clients WHERE name IS NULL AND rowid <= (SELECT MAX(rowid) FROM clients) - ${MAX_CLIENTS}`,
    );
  }

  /** Each new line takes the next number. AUTOINCREMENT would also use one up for a replaced line. */
  #makeRoom(): number {
    const rows = this.#sql.exec(
      "DELETE FROM entries WHERE id <= (SELECT MAX(id) FROM entries) - ? RETURNING id",
      this.#maxEntries,
    );
    return [...rows].length;
  }
}

const named = (entry: KeptEntry, clientName: string | null): KeptEntry =>
  clientName === null || entry.event === "sign_in_flood" ? entry : { clientName, ...entry };
