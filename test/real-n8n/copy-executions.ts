/**
 * Multiplies executions of a running n8n quickly: copies of real ones, written into its own tables.
 * Promises: exactly `count` more, newer than all that there were, each with the data of the one that was copied.
 * For tests that need thousands; n8n itself makes some ten a second.
 */
import { DatabaseSync } from "node:sqlite";
import type { RunningN8n } from "./boot.ts";

export function copyExecution({ databasePath }: RunningN8n, id: string, count: number): void {
  const database = new DatabaseSync(databasePath, { timeout: 10_000 });
  try {
    const columns = columnsOf(database, "execution_entity").filter((name) => name !== "id");
    const known = columns.map((name) => `"${name}"`).join(", ");
    const dataColumns = columnsOf(database, "execution_data").filter((name) => name !== "executionId");
    const data = dataColumns.map((name) => `"${name}"`).join(", ");
    const copyRow = database.prepare(
      `INSERT INTO execution_entity (${known}) SELECT ${known} FROM execution_entity WHERE id = ?`,
    );
    const copyData = database.prepare(
      `INSERT INTO execution_data ("executionId", ${data})
       SELECT ?, ${data} FROM execution_data WHERE "executionId" = ?`,
    );
    database.exec("BEGIN IMMEDIATE");
    for (let made = 0; made < count; made += 1) {
      const { lastInsertRowid } = copyRow.run(id);
      copyData.run(lastInsertRowid, id);
    }
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}

function columnsOf(database: DatabaseSync, table: string): string[] {
  return database
    .prepare("SELECT name FROM pragma_table_info(?)")
    .all(table)
    .map(({ name }) => String(name));
}
