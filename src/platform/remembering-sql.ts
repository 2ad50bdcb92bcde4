/**
 * Caches short results of SQL queries until the next write: concurrent callers, and the steps of one trace, send many
 * identical queries. Writes to the cached tables must go through it, too.
 */
import type { Sql, SqlBinding, SqlRow, SqlValue } from "./sql.ts";
import { sumOf } from "./sum-of.ts";

/** Maximum length of a cached result, and of a query with its bindings: longer ones are rarely repeated. */
const MAX_LENGTH = 8_192;
/** Counted for each row, in addition to its texts and blobs. */
const ROW_LENGTH = 256;
/** Maximum length of all cached results and their keys. */
const MAX_TOTAL_LENGTH = 2 * 1024 * 1024;

/** Results that were read since the last write. */
class Results {
  /** By bindings and query. */
  readonly rows = new Map<string, readonly SqlRow[]>();
  #lengthLeft = MAX_TOTAL_LENGTH;

  keep(key: string, rows: readonly SqlRow[], length: number): void {
    this.#lengthLeft -= key.length + length;
    if (this.#lengthLeft >= 0) this.rows.set(key, rows);
  }
}

export class RememberingSql implements Sql {
  readonly #sql: Sql;
  /** Replaced at each write, so that a read that is still in progress adds to the old ones. */
  #results = new Results();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get databaseSize(): number {
    return this.#sql.databaseSize;
  }

  exec(query: string, ...bindings: SqlBinding[]): Iterable<SqlRow> {
    if (!onlyReads(query)) {
      this.#results = new Results();
      return this.#sql.exec(query, ...bindings);
    }
    if (lengthOf([query, ...bindings]) > MAX_LENGTH) return this.#sql.exec(query, ...bindings);
    const key = `${JSON.stringify(bindings)}${query}`;
    return this.#results.rows.get(key) ?? remember(this.#sql.exec(query, ...bindings), key, this.#results);
  }

  transaction<Result>(write: () => Result): Result {
    const before = this.#results;
    try {
      return this.#sql.transaction === undefined ? write() : this.#sql.transaction(write);
    } finally {
      // A rollback invalidates what was read after a write.
      if (this.#results !== before) this.#results = new Results();
    }
  }
}

const onlyReads = (query: string): boolean =>
  /^\s*SELECT\b/.test(query) ||
  (/^\s*WITH\b/.test(query) && !/\b(?:INSERT|UPDATE|DELETE|REPLACE)\b/.test(query));

/** Characters of texts, bytes of blobs. */
const lengthOf = (cells: readonly SqlValue[]): number => sumOf(cells, sizeOf);

function sizeOf(cell: SqlValue): number {
  if (typeof cell === "string") return cell.length;
  return typeof cell === "object" && cell !== null ? cell.byteLength : 0;
}

/** Yields rows as they are read, and caches them if all were read and are short. */
function* remember(rows: Iterable<SqlRow>, key: string, results: Results): Generator<SqlRow> {
  const read: SqlRow[] = [];
  let lengthLeft = MAX_LENGTH;
  for (const row of rows) {
    if (lengthLeft >= 0) lengthLeft -= ROW_LENGTH + lengthOf(Object.values(row));
    if (lengthLeft >= 0) read.push(row);
    yield row;
  }
  if (lengthLeft >= 0) results.keep(key, read, MAX_LENGTH - lengthLeft);
}
