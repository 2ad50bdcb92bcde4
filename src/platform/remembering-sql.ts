/**
 * SQL whose short answers are remembered until something is written: callers who ask at the same time ask much the same,
 * and one trace asks some things twice. Whoever writes to the tables that are read through it must do so through it.
 */
import type { Sql, SqlBinding, SqlRow, SqlValue } from "./sql.ts";

/** Of an answer, or of a query and its bindings: longer ones list what hardly anybody asks for again. */
const MAX_LENGTH = 8_192;
/** Of a row, besides its texts and blobs. */
const ROW_LENGTH = 256;
/** Of all answers that are kept at the same time, with their questions. */
const MAX_TOTAL_LENGTH = 2 * 1024 * 1024;

/** What was read since the last write. */
class Answers {
  /** By bindings and query. */
  readonly rows = new Map<string, readonly SqlRow[]>();
  #room = MAX_TOTAL_LENGTH;

  keep(key: string, rows: readonly SqlRow[], length: number): void {
    this.#room -= key.length + length;
    if (this.#room >= 0) this.rows.set(key, rows);
  }
}

export class RememberingSql implements Sql {
  readonly #sql: Sql;
  /** Others after each write: who still reads what was there before adds to the old ones. */
  #answers = new Answers();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get databaseSize(): number {
    return this.#sql.databaseSize;
  }

  exec(query: string, ...bindings: SqlBinding[]): Iterable<SqlRow> {
    if (!onlyReads(query)) {
      this.#answers = new Answers();
      return this.#sql.exec(query, ...bindings);
    }
    if (lengthOf([query, ...bindings]) > MAX_LENGTH) return this.#sql.exec(query, ...bindings);
    const key = `${JSON.stringify(bindings)}${query}`;
    return this.#answers.rows.get(key) ?? remember(this.#sql.exec(query, ...bindings), key, this.#answers);
  }

  transaction<Result>(write: () => Result): Result {
    const before = this.#answers;
    try {
      return this.#sql.transaction === undefined ? write() : this.#sql.transaction(write);
    } finally {
      // What was written and read within may have been taken back.
      if (this.#answers !== before) this.#answers = new Answers();
    }
  }
}

const onlyReads = (query: string): boolean =>
  /^\s*SELECT\b/.test(query) ||
  (/^\s*WITH\b/.test(query) && !/\b(?:INSERT|UPDATE|DELETE|REPLACE)\b/.test(query));

/** Characters of texts, bytes of blobs. */
const lengthOf = (cells: readonly SqlValue[]): number =>
  cells.reduce<number>((sum, cell) => sum + sizeOf(cell), 0);

function sizeOf(cell: SqlValue): number {
  if (typeof cell === "string") return cell.length;
  return typeof cell === "object" && cell !== null ? cell.byteLength : 0;
}

/** Passes rows on as they are read, and keeps them once all were, if they are short. */
function* remember(rows: Iterable<SqlRow>, key: string, answers: Answers): Generator<SqlRow> {
  const read: SqlRow[] = [];
  let room = MAX_LENGTH;
  for (const row of rows) {
    // A long answer is held by whoever reads it, row by row.
    if (room >= 0) room -= ROW_LENGTH + lengthOf(Object.values(row));
    if (room >= 0) read.push(row);
    yield row;
  }
  if (room >= 0) answers.keep(key, read, MAX_LENGTH - room);
}
