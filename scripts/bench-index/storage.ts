/** Measures what the history index has written to disk. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { sumOf } from "../../src/platform/sum-of.ts";

export interface Storage {
  readonly bytes: number;
  readonly executions: number;
  /**
   * Rows written for them: rows of tables and entries of indexes, as Cloudflare counts. Rows written once per page, and
   * rows written again, do not count.
   */
  readonly rows: number;
}

/** The tables that hold rows for an execution. */
const COUNTED = ["executions", "calls", "correlations"];

const named = z.object({ name: z.string(), sql: z.string().nullable(), tbl_name: z.string() });
const counted = z.object({ count: z.number() });

const countOf = (database: DatabaseSync, from: string): number =>
  counted.parse(database.prepare(`SELECT COUNT(*) AS count FROM ${from}`).get()).count;

/** Rows in the index; for a partial index, those that meet its condition. */
function entriesOf(database: DatabaseSync, { sql, tbl_name }: z.infer<typeof named>): number {
  if (sql === null) return 0;
  const [, condition] = / WHERE (.+)$/s.exec(sql) ?? [];
  return countOf(database, condition === undefined ? tbl_name : `${tbl_name} WHERE ${condition}`);
}

/** @param directory the storage of a Worker that has ended */
export async function readStorage(directory: string): Promise<Storage> {
  const files = (await readdir(directory, { recursive: true })).filter(
    (path) => path.includes("HistoryIndex") && path.endsWith(".sqlite") && !path.endsWith("metadata.sqlite"),
  );
  const [file] = files;
  if (file === undefined || files.length > 1) throw new Error(`There are ${files.length} history indexes.`);
  const path = join(directory, file);
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const indexes = database
      .prepare("SELECT name, sql, tbl_name FROM sqlite_schema WHERE type = 'index'")
      .all()
      .map((row) => named.parse(row))
      .filter(({ tbl_name }) => COUNTED.includes(tbl_name));
    return {
      bytes: (await stat(path)).size,
      executions: countOf(database, "executions"),
      rows:
        sumOf(COUNTED, (table) => countOf(database, table)) +
        sumOf(indexes, (index) => entriesOf(database, index)),
    };
  } finally {
    database.close();
  }
}
