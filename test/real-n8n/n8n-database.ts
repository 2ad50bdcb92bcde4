/**
 * Reads n8n's SQLite file, so that tests see what an old n8n's public API does not list: executions that
 * run or wait. The file is opened read-only and for one query only; no code of the observer is used;
 * executions that are marked as deleted are left out.
 */
import { createRequire } from "node:module";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import type { N8nInstallation } from "./install.ts";

/** The database of an n8n, and the installation that wrote it. */
export interface N8nDatabase {
  databasePath: string;
  installation: N8nInstallation;
}

/** The time for which n8n may lock the file, in milliseconds. */
const BUSY_MS = 5_000;

const id = z.union([z.string(), z.number()]).transform(String);
const listRow = z.object({
  id,
  status: z.string(),
  mode: z.string(),
  workflowId: id,
  retryOf: id.nullable(),
});
/** One row of n8n's table of executions. */
export type ExecutionItem = z.infer<typeof listRow>;

/** SQLite has no time type: n8n writes UTC text without a time zone. */
const time = z
  .string()
  .nullable()
  .transform((text) => (text === null ? null : new Date(`${text.replace(" ", "T")}Z`).toISOString()));

const wholeRow = listRow.extend({
  startedAt: time,
  stoppedAt: time,
  workflowData: z.string().transform((text): unknown => JSON.parse(text)),
  data: z.string(),
});

const metadataRow = z.object({ executionId: id, key: z.string(), value: z.string() });
const countRow = z.object({ count: z.number() });

const flattedModule = z.object({
  parse: z.custom<(text: string) => unknown>((value) => typeof value === "function"),
});

/** One execution with its data, in the public API's form. */
export interface StoredExecution extends Omit<z.infer<typeof wholeRow>, "data"> {
  customData: Record<string, string>;
  data: unknown;
}

function withDatabase<Result>(
  { databasePath }: N8nDatabase,
  read: (database: DatabaseSync) => Result,
): Result {
  const database = new DatabaseSync(databasePath, { readOnly: true, timeout: BUSY_MS });
  try {
    return read(database);
  } finally {
    database.close();
  }
}

/** Every execution with a higher id than `afterId`, oldest first, whatever its status. */
export function listExecutionsAfter(n8n: N8nDatabase, afterId: number): ExecutionItem[] {
  const sql = `SELECT id, status, mode, workflowId, retryOf FROM execution_entity
    WHERE id > ? AND deletedAt IS NULL ORDER BY id`;
  return withDatabase(n8n, (database) => z.array(listRow).parse(database.prepare(sql).all(afterId)));
}

/** The highest id, 0 if there is none. */
export function newestExecutionId(n8n: N8nDatabase): number {
  const sql = "SELECT coalesce(max(id), 0) AS count FROM execution_entity";
  return withDatabase(n8n, (database) => countRow.parse(database.prepare(sql).get()).count);
}

/** Every execution with stored data, by ascending id. */
export function readStoredExecutions(n8n: N8nDatabase): StoredExecution[] {
  const parse = flattedOf(n8n.installation);
  return withDatabase(n8n, (database) => {
    const customData = new Map<string, Record<string, string>>();
    const metadata = database.prepare("SELECT executionId, key, value FROM execution_metadata").all();
    for (const { executionId, key, value } of z.array(metadataRow).parse(metadata)) {
      customData.set(executionId, { ...customData.get(executionId), [key]: value });
    }
    const sql = `SELECT e.id, e.status, e.mode, e.workflowId, e.retryOf, e.startedAt, e.stoppedAt,
        d.workflowData, d.data
      FROM execution_entity e JOIN execution_data d ON d.executionId = e.id
      WHERE e.deletedAt IS NULL ORDER BY e.id`;
    const executions: StoredExecution[] = [];
    for (const row of database.prepare(sql).iterate()) {
      const { data, ...known } = wholeRow.parse(row);
      executions.push({ ...known, customData: customData.get(known.id) ?? {}, data: parse(data) });
    }
    return executions;
  });
}

/** n8n stores data with the npm package `flatted`, which keeps equal texts once. n8n's own copy of it reads the data. */
function flattedOf({ directory }: N8nInstallation): (text: string) => unknown {
  const require = createRequire(`${directory}/package.json`);
  return flattedModule.parse(require("flatted")).parse;
}
