/** SQL in a Durable Object: what of it is used, so that tests can give an SQLite of Node. */
export type SqlValue = string | number | null | ArrayBuffer | Uint8Array | bigint;

/** The part of `SqlStorage` that is used. */
export interface Sql {
  /** In bytes, without what is free. */
  readonly databaseSize: number;
  exec(
    query: string,
    ...bindings: (string | number | null | Uint8Array)[]
  ): Iterable<Record<string, SqlValue>>;
}
