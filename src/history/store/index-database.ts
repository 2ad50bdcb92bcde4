/**
 * The SQLite of one n8n's index: makes its tables, makes them anew when they have another shape, and keeps single
 * facts under their names. Knows nothing of Durable Objects: any SQLite will do.
 */
import * as z from "zod";
import type { Sql, SqlValue } from "../../platform/sql.ts";
import { jsonChunks } from "./json-chunks.ts";
import { CREATE_FACTS, SHAPE, TABLE_NAMES, TABLES } from "./tables.ts";

type Cell = string | number | null;

/** Single facts of the index, by the names under which they lie in it. */
type FactName =
  | "shape"
  | "costs"
  | "synced at"
  | "settled before"
  | "epoch"
  | "used again above"
  | "floor"
  | "last failure"
  | "term rules";

const factRow = z.object({ value: z.string() });
const idRow = z.object({ id: z.string() });

export class IndexDatabase {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.exec(CREATE_FACTS);
    if (this.fact("shape") !== SHAPE) this.#beginAnew();
  }

  #beginAnew(): void {
    for (const table of TABLE_NAMES) this.exec(`DROP TABLE IF EXISTS ${table}`);
    for (const statement of TABLES) this.exec(statement);
    this.setFact("shape", SHAPE);
  }

  exec(query: string, ...bindings: Cell[]): Record<string, SqlValue>[] {
    return [...this.#sql.exec(query, ...bindings)];
  }

  /** Of a query that gives texts under the name `id`. */
  ids(query: string, ...bindings: Cell[]): string[] {
    return this.exec(query, ...bindings).map((row) => idRow.parse(row).id);
  }

  /** One statement for many rows: a statement for each would be most of the work. */
  insert(table: string, rows: readonly (readonly Cell[])[]): void {
    const [first] = rows;
    if (first === undefined) return;
    const columns = first.map((_cell, index) => `value ->> ${index}`);
    for (const chunk of jsonChunks(rows))
      this.exec(`INSERT OR IGNORE INTO ${table} SELECT ${columns.join(", ")} FROM json_each(?)`, chunk);
  }

  fact(name: FactName): string | undefined {
    const [row] = this.exec("SELECT value FROM facts WHERE name = ?", name);
    return row === undefined ? undefined : factRow.parse(row).value;
  }

  setFact(name: FactName, value: string): void {
    this.exec("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", name, value);
  }

  forgetFacts(...names: FactName[]): void {
    this.exec(`DELETE FROM facts WHERE name IN (${names.map((name) => `'${name}'`).join(", ")})`);
  }
}
