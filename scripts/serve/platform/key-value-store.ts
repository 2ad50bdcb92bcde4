/**
 * A KV namespace on disk: a Durable Object with a table. Unlike Workers KV it is consistent: the next read returns the
 * last write. Expired entries are hidden from readers at once, and removed from disk with the next write.
 */
import { DurableObject } from "cloudflare:workers";

export interface StoredEntry {
  readonly value: ArrayBuffer;
  /** JSON, or `null`. */
  readonly metadata: string | null;
  /** Seconds since 1970; `null` if it never expires. */
  readonly expiration: number | null;
}

interface ListedKey {
  readonly name: string;
  readonly metadata?: string;
  readonly expiration?: number;
}

export interface ListedPage {
  readonly keys: readonly ListedKey[];
  /** The next page begins after this key; `undefined` on the last page. */
  readonly cursor: string | undefined;
}

type Row = { readonly key: string; readonly metadata: string | null; readonly expiration: number | null };
type ValueRow = Row & { readonly value: ArrayBuffer };

export class KeyValueStore extends DurableObject {
  readonly #sql: SqlStorage;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS entries (
         key TEXT PRIMARY KEY, value BLOB NOT NULL, metadata TEXT, expiration INTEGER
       ) WITHOUT ROWID;
       CREATE INDEX IF NOT EXISTS entries_by_expiration ON entries (expiration) WHERE expiration IS NOT NULL`,
    );
  }

  read(key: string): StoredEntry | null {
    const [row] = this.#sql
      .exec<ValueRow>(
        "SELECT * FROM entries WHERE key = ? AND (expiration IS NULL OR expiration > ?)",
        key,
        secondsNow(),
      )
      .toArray();
    return row === undefined
      ? null
      : { value: row.value, metadata: row.metadata, expiration: row.expiration };
  }

  write(key: string, { value, metadata, expiration }: StoredEntry): void {
    this.#sql.exec("DELETE FROM entries WHERE expiration <= ?", secondsNow());
    this.#sql.exec("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", key, value, metadata, expiration);
  }

  remove(key: string): void {
    this.#sql.exec("DELETE FROM entries WHERE key = ?", key);
  }

  /**
   * Keys that begin with a prefix, in the order of their bytes: SQLite's and that of Workers KV.
   * @param after the cursor of the page before; empty for the first one
   */
  list(prefix: string, limit: number, after: string): ListedPage {
    const rows = this.#sql
      .exec<Row>(
        `SELECT key, metadata, expiration FROM entries
         WHERE key >= ? AND key > ? AND (expiration IS NULL OR expiration > ?) ORDER BY key LIMIT ?`,
        prefix,
        after,
        secondsNow(),
        limit + 1,
      )
      .toArray()
      .filter(({ key }) => key.startsWith(prefix));
    const page = rows.slice(0, limit);
    return { keys: page.map(toListedKey), cursor: rows.length > limit ? page.at(-1)?.key : undefined };
  }
}

function toListedKey({ key, metadata, expiration }: Row): ListedKey {
  return {
    name: key,
    ...(metadata === null ? {} : { metadata }),
    ...(expiration === null ? {} : { expiration }),
  };
}

const secondsNow = (): number => Math.floor(Date.now() / 1_000);
