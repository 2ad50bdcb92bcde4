/** The part of a Durable Object's SQL that is used, so that tests can pass Node's SQLite. */
import type * as z from "zod";

export type SqlValue = string | number | null | ArrayBuffer | Uint8Array | bigint;
export type SqlBinding = string | number | null | Uint8Array;
/** The values by the names of their columns. Others may be given the same object. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** The part of `SqlStorage` that is used. */
export interface Sql {
  /** In bytes, without free pages. */
  readonly databaseSize: number;
  exec(query: string, ...bindings: SqlBinding[]): Iterable<SqlRow>;
  /** All of what is written within is kept, or nothing if it fails. Without it, what was written before a failure stays. */
  transaction?<Result>(write: () => Result): Result;
}

/** @throws z.ZodError for a row that does not fit */
export function readRows<Schema extends z.ZodType>(
  sql: Sql,
  schema: Schema,
  query: string,
  ...bindings: SqlBinding[]
): z.infer<Schema>[] {
  return [...sql.exec(query, ...bindings)].map((row) => schema.parse(row));
}
