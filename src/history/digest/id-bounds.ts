/** Finds the executions of a time by their ids, which ascend nearly like starts, so that no query walks over all rows. */
import * as z from "zod";
import { HOUR_MS } from "../../platform/durations.ts";
import type { IndexReader } from "../store/index-database.ts";
import type { NarrowedSql } from "../store/narrowed-sql.ts";
import { UNFINISHED } from "../store/tables.ts";
import { iso } from "./run.ts";

/** How much later an execution may start than one with a higher id. */
const ID_ORDER_MS = HOUR_MS;
/** Executions that were queued longer are searched among this many lower ids, and again below each one found. */
const IDS_BELOW = 16_384n;

/** The oldest start is among this many of the lowest ids. */
const LOWEST = 250;

const endsRow = z.object({ low: z.string().nullable(), high: z.string().nullable() });
const lowRow = endsRow.pick({ low: true });
const startRow = z.object({ startedAt: z.string() });
const oldestRow = z.object({ startedAt: z.string().nullable() });

export class IdBounds {
  readonly #sql: IndexReader<NarrowedSql>;
  readonly #hasFormer: boolean;

  /** @param hasFormer whether rows may belong to a former history, in which case ids do not ascend like starts */
  constructor(sql: IndexReader<NarrowedSql>, hasFormer: boolean) {
    this.#sql = sql;
    this.#hasFormer = hasFormer;
  }

  /** Start of the lowest known id from this one up, epoch ms; null if there is none. */
  startFrom(id: string): number | null {
    const [row] = this.#sql.rows(
      startRow,
      `SELECT started_at AS startedAt FROM executions WHERE id >= CAST(? AS INTEGER) AND started_at IS NOT NULL
       ORDER BY executions.id LIMIT 1`,
      id,
    );
    return row === undefined ? null : Date.parse(row.startedAt);
  }

  /**
   * The oldest start of an ended execution that took less than half a day, epoch ms; null if there is none. n8n keeps
   * waiting executions and prunes the others by their end, so one that waited does not show how far back n8n has all.
   * The lowest id may have been queued.
   */
  oldestStart(): number | null {
    const { startedAt } = this.#sql.row(
      oldestRow,
      `SELECT MIN(started_at) AS startedAt FROM (SELECT started_at FROM executions
       WHERE started_at IS NOT NULL AND status NOT IN ${UNFINISHED}
         AND (stopped_at IS NULL OR julianday(stopped_at) - julianday(started_at) < 0.5) ORDER BY executions.id LIMIT ${LOWEST})`,
    );
    return startedAt === null ? null : Date.parse(startedAt);
  }

  /** The lowest id that may have begun at this time or later: ids ascend nearly like starts. */
  lowestId(time: number): string {
    const before = time - ID_ORDER_MS;
    const { low: lowest, high: highest } = this.#sql.row(
      endsRow,
      // A single SELECT of MIN and MAX would read all rows.
      `SELECT CAST((SELECT MIN(id) FROM executions) AS TEXT) AS low,
       CAST((SELECT MAX(id) FROM executions) AS TEXT) AS high`,
    );
    if (lowest === null || highest === null || this.#hasFormer) return lowest ?? "0";
    let [low, high] = [BigInt(lowest), BigInt(highest) + 1n];
    while (low < high) {
      const middle = (low + high) / 2n;
      const start = this.startFrom(String(middle));
      if (start === null || start >= before) high = middle;
      else low = middle + 1n;
    }
    // Queued executions began later than others with higher ids.
    for (;;) {
      const late = this.#sql.row(
        lowRow,
        `SELECT CAST(MIN(id) AS TEXT) AS low FROM executions
         WHERE id >= CAST(? AS INTEGER) AND id < CAST(? AS INTEGER) AND started_at >= ?`,
        String(low - IDS_BELOW),
        String(low),
        iso(before),
      );
      if (late.low === null) return String(low);
      low = BigInt(late.low);
    }
  }

  /** The lowest existing id from this one on, of any workflow; null if there is none: gaps may span a billion ids. */
  nextId(id: string): string | null {
    const query = "SELECT CAST(MIN(id) AS TEXT) AS low FROM main.executions WHERE id >= CAST(? AS INTEGER)";
    return this.#sql.row(lowRow, query, id).low;
  }
}
