/**
 * The SQLite database of one n8n's index: creates its tables, recreates them when their shape has changed, and stores
 * named facts. It is the only writer, so facts are cached. Independent of Durable Objects: any SQLite works.
 */
import * as z from "zod";
import { memoizeByObject } from "../../platform/memoize.ts";
import { type Queryable, readRows, type Sql, type SqlBinding, type SqlRow } from "../../platform/sql.ts";
import { CREATE_FACTS, SHAPE, selected, TABLE_NAMES, TABLES } from "./tables.ts";

type FactName =
  | "shape"
  | "costs"
  | "synced at"
  | "settled"
  | "epoch"
  | "used again above"
  | "floor"
  | "last failure"
  | "step"
  | "queue"
  | "given ids"
  | "empty queue probes"
  | "term rules";

const factRow = z.object({ name: z.string(), value: z.string() });
const idRow = z.object({ id: z.string() });
const columnsOf = memoizeByObject((schema: z.ZodObject) => selected(Object.keys(schema.shape)));

/** Reads rows. @template Source all rows, or those that a view shows */
export class IndexReader<Source extends Queryable> {
  readonly sql: Source;

  constructor(sql: Source) {
    this.sql = sql;
  }

  exec(query: string, ...bindings: SqlBinding[]): SqlRow[] {
    return [...this.sql.exec(query, ...bindings)];
  }

  rows<Schema extends z.ZodType>(
    schema: Schema,
    query: string,
    ...bindings: SqlBinding[]
  ): z.infer<Schema>[] {
    return readRows(this.sql, schema, query, ...bindings);
  }

  /** The row of a query that always has one. */
  row<Schema extends z.ZodType>(schema: Schema, query: string, ...bindings: SqlBinding[]): z.infer<Schema> {
    return schema.parse(this.exec(query, ...bindings)[0]);
  }

  /** Rows of `executions` with the columns that the schema names. @param where the rest of the query */
  executions<Schema extends z.ZodObject>(
    schema: Schema,
    where: string,
    ...bindings: SqlBinding[]
  ): z.infer<Schema>[] {
    return this.rows(schema, `SELECT ${columnsOf(schema)} FROM executions ${where}`, ...bindings);
  }

  executionIds(where: string, ...bindings: SqlBinding[]): string[] {
    return this.executions(idRow, where, ...bindings).map(({ id }) => id);
  }

  /** The ids that a query selects as `id`. */
  ids(query: string, ...bindings: SqlBinding[]): string[] {
    return this.rows(idRow, query, ...bindings).map(({ id }) => id);
  }
}

export class IndexDatabase extends IndexReader<Sql> {
  readonly #facts = new Map<string, string>();
  readonly #onFailure: (() => void)[] = [];

  constructor(sql: Sql) {
    super(sql);
    this.exec(CREATE_FACTS);
    this.#readFacts();
    if (this.fact("shape") === SHAPE) return;
    this.#facts.clear();
    for (const table of TABLE_NAMES) this.exec(`DROP TABLE IF EXISTS ${table}`);
    for (const statement of TABLES) this.exec(statement);
    this.setFact("shape", SHAPE);
  }

  #readFacts(): void {
    const facts = this.rows(factRow, "SELECT name, value FROM facts");
    this.#facts.clear();
    for (const { name, value } of facts) this.#facts.set(name, value);
  }

  /** @param forget called when a transaction has failed, because cached state may not have been stored */
  onFailure(forget: () => void): void {
    this.#onFailure.push(forget);
  }

  /** Stores everything that `write` writes, or nothing if it fails. @throws what `write` throws */
  atomically<Result>(write: () => Result): Result {
    try {
      return this.sql.transaction === undefined ? write() : this.sql.transaction(write);
    } catch (error) {
      for (const forget of this.#onFailure) forget();
      this.#readFacts();
      throw error;
    }
  }

  /**
   * Inserts all rows with one statement, which parses each row only once: otherwise each cell would parse it again,
   * which takes three times as long for `executions`. @param rows each with the cells of all columns, in their order
   */
  insert(table: string, rows: readonly (readonly SqlBinding[])[]): void {
    const given = "given (cells) AS MATERIALIZED (SELECT jsonb(value) FROM json_each(?))";
    const cells = rows[0]?.map((_cell, index) => `cells ->> ${index}`);
    for (const chunk of jsonChunks(rows))
      this.exec(`WITH ${given} INSERT OR IGNORE INTO ${table} SELECT ${cells} FROM given`, chunk);
  }

  fact(name: FactName): string | undefined {
    return this.#facts.get(name);
  }

  /** A fact that was stored as JSON. */
  factOf<Schema extends z.ZodType>(name: FactName, schema: Schema): z.infer<Schema> | undefined {
    const text = this.fact(name);
    return text === undefined ? undefined : schema.parse(JSON.parse(text));
  }

  setFact(name: FactName, value: string): void {
    this.exec("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", name, value);
    this.#facts.set(name, value);
  }

  forgetFacts(...names: FactName[]): void {
    this.exec("DELETE FROM facts WHERE name IN (SELECT value FROM json_each(?))", JSON.stringify(names));
    for (const name of names) this.#facts.delete(name);
  }
}

/** At most three bytes each in UTF-8: 1.5 MB. A Durable Object refuses values above 2 MB (`SQLITE_TOOBIG`). */
export const MAX_CHUNK_CHARACTERS = 500_000;

/** JSON arrays of the rows, in order. A row above the limit gets its own chunk: the caller keeps rows short. */
export function* jsonChunks(rows: Iterable<unknown>): Generator<string> {
  let texts: string[] = [];
  let characters = 0;
  for (const row of rows) {
    const text = JSON.stringify(row);
    if (texts.length > 0 && characters + text.length + texts.length + 2 > MAX_CHUNK_CHARACTERS) {
      yield `[${texts.join(",")}]`;
      texts = [];
      characters = 0;
    }
    texts.push(text);
    characters += text.length;
  }
  if (texts.length > 0) yield `[${texts.join(",")}]`;
}
