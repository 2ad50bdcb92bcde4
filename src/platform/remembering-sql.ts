/**
 * SQL whose short answers are remembered until something is written: callers who ask at the same time ask much the same,
 * and one trace asks some things twice. Whoever writes to the tables that are read through it must do so through it.
 */
import type { Sql, SqlBinding, SqlRow } from "./sql.ts";

/** Longer answers are read again. */
const MAX_ROWS = 32;
/** Answers kept at the same time. Each has few rows, and is forgotten with the next write. */
const MAX_ANSWERS = 128;
/** Characters of a query and its bindings: longer ones list what hardly anybody asks for again. */
const MAX_QUESTION = 8_192;

export class RememberingSql implements Sql {
  readonly #sql: Sql;
  /** By bindings and query. Another map after each write: who still reads what was there before adds to the old one. */
  #answers = new Map<string, readonly SqlRow[]>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get databaseSize(): number {
    return this.#sql.databaseSize;
  }

  exec(query: string, ...bindings: SqlBinding[]): Iterable<SqlRow> {
    if (!onlyReads(query)) {
      this.#answers = new Map();
      return this.#sql.exec(query, ...bindings);
    }
    if (lengthOf([query, ...bindings]) > MAX_QUESTION) return this.#sql.exec(query, ...bindings);
    const key = `${JSON.stringify(bindings)}${query}`;
    return this.#answers.get(key) ?? remember(this.#sql.exec(query, ...bindings), key, this.#answers);
  }

  transaction<Result>(write: () => Result): Result {
    try {
      return this.#sql.transaction === undefined ? write() : this.#sql.transaction(write);
    } finally {
      // What was read within may have been taken back.
      this.#answers = new Map();
    }
  }
}

const onlyReads = (query: string): boolean =>
  /^\s*SELECT\b/.test(query) ||
  (/^\s*WITH\b/.test(query) && !/\b(?:INSERT|UPDATE|DELETE|REPLACE)\b/.test(query));

const lengthOf = (cells: readonly SqlBinding[]): number =>
  cells.reduce<number>((sum, cell) => sum + (typeof cell === "string" ? cell.length : 0), 0);

/** Passes rows on as they are read, and keeps them once all were, if they are few. */
function* remember(
  rows: Iterable<SqlRow>,
  key: string,
  answers: Map<string, readonly SqlRow[]>,
): Generator<SqlRow> {
  const read: SqlRow[] = [];
  for (const row of rows) {
    if (read.length <= MAX_ROWS) read.push(row);
    yield row;
  }
  if (read.length <= MAX_ROWS && answers.size < MAX_ANSWERS) answers.set(key, read);
}
