/** A database's content as text, to check that it lacks something. */
import * as z from "zod";
import type { Sql } from "../../src/platform/sql.ts";

const table = z.object({ name: z.string() });

/** Every row of every table as JSON, in a fixed order. @param without tables to leave out */
export function rowsOfAllTables(sql: Sql, without: readonly string[] = []): string {
  const tables = [...sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    .map((row) => table.parse(row).name)
    .filter((name) => !without.includes(name));
  const rows = tables.map((name) => [
    name,
    [...sql.exec(`SELECT * FROM ${name}`)].map((row) => JSON.stringify(row)).sort(),
  ]);
  return JSON.stringify(rows);
}
