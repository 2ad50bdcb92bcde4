/** The part of a Durable Object's SQL that is used, so that tests can pass Node's SQLite. */
import type * as z from "zod";

export type SqlValue = string | number | null | ArrayBuffer | Uint8Array | bigint;
export type SqlBinding = string | number | null | Uint8Array;
/** Column name → value. Callers may share one object. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** Answers queries. */
export interface Queryable {
  exec(query: string, ...bindings: SqlBinding[]): Iterable<SqlRow>;
}

/** The part of `SqlStorage` that is used. */
export interface Sql extends Queryable {
  /** In bytes, without free pages. */
  readonly databaseSize: number;
  /** Runs `write` atomically. Where this is absent, writes before a failure stay. */
  transaction?<Result>(write: () => Result): Result;
}

/** @throws z.ZodError for a row that does not fit */
export function readRows<Schema extends z.ZodType>(
  sql: Queryable,
  schema: Schema,
  query: string,
  ...bindings: SqlBinding[]
): z.infer<Schema>[] {
  return [...sql.exec(query, ...bindings)].map((row) => schema.parse(row));
}
