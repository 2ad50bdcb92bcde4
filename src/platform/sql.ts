/** SQL in a Durable Object: what of it is used, so that tests can give an SQLite of Node. */
import type * as z from "zod";

export type SqlValue = string | number | null | ArrayBuffer | Uint8Array | bigint;
export type SqlBinding = string | number | null | Uint8Array;

/** The part of `SqlStorage` that is used. */
export interface Sql {
  /** In bytes, without what is free. */
  readonly databaseSize: number;
  exec(query: string, ...bindings: SqlBinding[]): Iterable<Record<string, SqlValue>>;
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
