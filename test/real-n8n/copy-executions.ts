/**
 * Multiplies executions of a running n8n quickly, by writing copies of real ones into its tables.
 * Adds exactly the requested number, with higher ids than all existing ones, each with the data of its original.
 * For tests that need thousands of executions, or past times; n8n itself makes about ten a second, all with current times.
 */
import { DatabaseSync } from "node:sqlite";
import type { RunningN8n } from "./boot.ts";

/** A copy, and its differences from the original. */
export interface ExecutionCopy {
  readonly of: string;
  /** Epoch ms. */
  readonly startedAt?: number;
  readonly durationMs?: number;
  readonly mode?: string;
  /** It has not ended. */
  readonly isRunning?: boolean;
}

export function copyExecution(n8n: RunningN8n, id: string, count: number): void {
  copyExecutions(
    n8n,
    Array.from({ length: count }, () => ({ of: id })),
  );
}

/** In the order of their ids. */
export function copyExecutions({ databasePath }: RunningN8n, copies: readonly ExecutionCopy[]): void {
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
    for (const copy of copies) {
      const { lastInsertRowid } = copyRow.run(copy.of);
      copyData.run(lastInsertRowid, copy.of);
      change(database, lastInsertRowid, copy);
    }
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}

/** Sets start times: the first at that time, each other one a second later. */
export function moveExecutions(
  { databasePath }: RunningN8n,
  ids: readonly string[],
  startedAt: number,
): void {
  const database = new DatabaseSync(databasePath, { timeout: 10_000 });
  try {
    for (const [index, id] of ids.entries())
      change(database, Number(id), { of: id, startedAt: startedAt + index * 1_000, durationMs: 100 });
  } finally {
    database.close();
  }
}

/** n8n writes times as UTC text without a time zone. */
const timeText = (time: number): string => new Date(time).toISOString().replace("T", " ").replace("Z", "");

function change(
  database: DatabaseSync,
  id: number | bigint,
  { startedAt, durationMs = 0, mode, isRunning }: ExecutionCopy,
): void {
  const set = (assignments: string, ...values: (string | null)[]): void => {
    database.prepare(`UPDATE execution_entity SET ${assignments} WHERE id = ?`).run(...values, id);
  };
  if (startedAt !== undefined)
    set(
      `"createdAt" = ?, "startedAt" = ?, "stoppedAt" = ?`,
      timeText(startedAt),
      timeText(startedAt),
      timeText(startedAt + durationMs),
    );
  if (mode !== undefined) set(`mode = ?`, mode);
  if (isRunning === true) set(`status = 'running', finished = 0, "stoppedAt" = NULL`);
}

function columnsOf(database: DatabaseSync, table: string): string[] {
  return database
    .prepare("SELECT name FROM pragma_table_info(?)")
    .all(table)
    .map(({ name }) => String(name));
}
