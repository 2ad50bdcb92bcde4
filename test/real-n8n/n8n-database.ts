/**
 * Reads n8n's own SQLite file, so that tests see what no list of an old n8n's public API shows: executions that
 * run or wait. Promises: the file is opened read-only and for one question only; no code of the observer is used;
 * deleted executions that n8n still keeps for a while are left out.
 */
import { createRequire } from "node:module";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import type { N8nInstallation } from "./install.ts";

/** Where one n8n keeps its data, and the installation that wrote it. */
export interface N8nDatabase {
  databasePath: string;
  installation: N8nInstallation;
}

/** How long n8n may hold the file to write, in milliseconds. */
const BUSY_MS = 5_000;

const id = z.union([z.string(), z.number()]).transform(String);
const listRow = z.object({
  id,
  status: z.string(),
  mode: z.string(),
  workflowId: id,
  retryOf: id.nullable(),
});
/** One line of n8n's table of executions. */
export type ExecutionItem = z.infer<typeof listRow>;

/** SQLite has no times: n8n writes them as UTC text without saying so. */
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

/** One execution with its data, in the form that the public API gives. */
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

/** The highest id there is, 0 without any. */
export function newestExecutionId(n8n: N8nDatabase): number {
  const sql = "SELECT coalesce(max(id), 0) AS count FROM execution_entity";
  return withDatabase(n8n, (database) => countRow.parse(database.prepare(sql).get()).count);
}

/** Every execution of which n8n keeps data, by ascending id. */
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

/** n8n stores data with the npm package `flatted`, in which equal texts stand once: its own copy reads it back. */
function flattedOf({ directory }: N8nInstallation): (text: string) => unknown {
  const require = createRequire(`${directory}/package.json`);
  return flattedModule.parse(require("flatted")).parse;
}
