/** All that a database holds, as text to look for what must not be in it. */
import * as z from "zod";
import type { Sql } from "../../src/platform/sql.ts";

const table = z.object({ name: z.string() });

/** Every row of every table, as JSON, in an order of its own. @param without names of tables */
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
