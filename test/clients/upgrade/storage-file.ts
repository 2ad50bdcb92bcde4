/**
 * The storage of an older version's Worker as one file: its KV and its Durable Objects, with what is needed
 * to use them again. Settings and tokens are made up, and there is no payload, as our storage never holds any.
 *
 * Unpacking shifts all stored times, so that the data is as old as it was when it was packed. Otherwise a grant of 30
 * days would have expired.
 */
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import * as z from "zod";

const leftStorage = z.object({
  /** Commit or tag of the code that wrote it. */
  leftBy: z.string(),
  /** Epoch ms. */
  leftAt: z.number(),
  /** The ports of n8n and the Worker, which are part of stored URLs. */
  n8nPort: z.number(),
  workerPort: z.number(),
  clientId: z.string(),
  accessToken: z.string(),
  refreshToken: z.string(),
  /** Path within the Worker's storage → content in base64. */
  files: z.record(z.string(), z.string()),
});
export type LeftStorage = z.infer<typeof leftStorage>;

/** Excludes the runtime's own files, such as its local traces. */
const OURS = /^v3\/(?:do\/n8n-observer-|kv\/)/;

export async function writeLeftStorage(
  file: string,
  directory: string,
  facts: Omit<LeftStorage, "files">,
): Promise<void> {
  const files: Record<string, string> = {};
  for (const path of await filesBelow(directory)) {
    if (path.endsWith(".sqlite")) withDatabase(path, intoOneFile);
  }
  for (const path of await filesBelow(directory)) {
    const name = relative(directory, path);
    if (OURS.test(name)) files[name] = (await readFile(path)).toString("base64");
  }
  await writeFile(file, gzipSync(JSON.stringify({ ...facts, files }), { level: 9 }));
}

export async function readLeftStorage(file: string): Promise<LeftStorage> {
  return leftStorage.parse(JSON.parse(gunzipSync(await readFile(file)).toString("utf8")));
}

/** @param now epoch ms */
export async function unpackStorage(left: LeftStorage, directory: string, now: number): Promise<void> {
  const laterMs = now - left.leftAt;
  for (const [name, base64] of Object.entries(left.files)) {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    const bytes = Buffer.from(base64, "base64");
    await writeFile(path, name.includes("/blobs/") ? moveJson(bytes, laterMs) : bytes);
    if (name.endsWith(".sqlite")) withDatabase(path, (database) => moveRows(database, laterMs));
  }
}

async function filesBelow(directory: string): Promise<string[]> {
  const paths = (await readdir(directory, { recursive: true })).map((name) => join(directory, name));
  const areFiles = await Promise.all(paths.map(async (path) => (await stat(path)).isFile()));
  return paths.filter((_, index) => areFiles[index]).toSorted();
}

function withDatabase(path: string, use: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(path);
  try {
    use(database);
  } finally {
    database.close();
  }
}

/** Merges the write-ahead log into the file, and drops unused pages. */
function intoOneFile(database: DatabaseSync): void {
  database.exec("PRAGMA journal_mode = DELETE");
  database.exec("VACUUM");
}

/** Columns with times, in KV and in the activity log. */
const TIMES = [
  ["_mf_entries", "expiration"],
  ["entries", "at"],
  ["clients", "seen_at"],
] as const;

function moveRows(database: DatabaseSync, laterMs: number): void {
  for (const [table, column] of TIMES) {
    if (!hasTable(database, table)) continue;
    const perSecond = `CASE WHEN ${column} < 1e11 THEN 1000 ELSE 1 END`;
    database.exec(
      `UPDATE "${table}" SET ${column} = ${column} + CAST(${laterMs} / (${perSecond}) AS INTEGER)`,
    );
  }
}

/** All shifted times in unpacked storage, in epoch ms. */
export async function timesIn(directory: string): Promise<number[]> {
  const times: number[] = [];
  for (const path of (await filesBelow(directory)).filter((name) => name.endsWith(".sqlite"))) {
    withDatabase(path, (database) => {
      for (const [table, column] of TIMES) {
        if (!hasTable(database, table)) continue;
        const rows = database
          .prepare(`SELECT ${column} AS time FROM "${table}" WHERE ${column} IS NOT NULL`)
          .all();
        times.push(
          ...rows.map(({ time }) => Number(time)).map((time) => (time < 1e11 ? time * 1_000 : time)),
        );
      }
    });
  }
  return times;
}

const hasTable = (database: DatabaseSync, table: string): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== undefined;

/** Shifts the times in a value of KV: members of JSON named `…At`, in seconds or milliseconds. Other values stay as they are. */
function moveJson(bytes: Buffer, laterMs: number): Buffer {
  const text = bytes.toString("utf8");
  if (!text.startsWith("{")) return bytes;
  const moved: unknown = JSON.parse(text, (key, value: unknown) =>
    typeof value === "number" && key.endsWith("At")
      ? value + Math.round(laterMs / (value < 1e11 ? 1000 : 1))
      : value,
  );
  return Buffer.from(JSON.stringify(moved));
}
