/**
 * Where filters are kept: a row for each execution that has one (the table is one of `ExecutionStore`'s).
 *
 * Promises: it gives no filter that was made under other rules of redaction than those of today.
 */
import * as z from "zod";
import type { Sql } from "../../platform/sql.ts";
import { TermFilter } from "./term-filter.ts";

interface WithFilter {
  readonly execution: { readonly id: string };
  readonly termFilter: Uint8Array | null;
}

/** A Durable Object refuses a blob of more than 2 MB. */
const MAX_CHUNK_BYTES = 1024 * 1024;

const filterRow = z.object({
  id: z.string(),
  filter: z.union([z.instanceof(ArrayBuffer), z.instanceof(Uint8Array)]),
});

export class TermStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Of executions that have none. */
  keep(executions: readonly WithFilter[]): void {
    let chunk = new FilterChunk();
    for (const { execution, termFilter } of executions) {
      if (termFilter === null) continue;
      if (chunk.byteLength + termFilter.length > MAX_CHUNK_BYTES) {
        this.#insert(chunk);
        chunk = new FilterChunk();
      }
      chunk.add(execution.id, termFilter);
    }
    this.#insert(chunk);
  }

  /** One statement for many rows: a statement for each would be most of the work. */
  #insert(chunk: FilterChunk): void {
    if (chunk.byteLength === 0) return;
    // Drained, for statements of SQLite run as they are read.
    for (const _row of this.#sql.exec(
      `INSERT OR REPLACE INTO terms
       SELECT value ->> 0, substr(?2, value ->> 1, value ->> 2) FROM json_each(?1)`,
      JSON.stringify(chunk.places),
      chunk.bytes(),
    ));
  }

  /** Those of the executions that have one. What n8n failed to give since may be another now. */
  filtersOf(ids: readonly string[]): Map<string, TermFilter> {
    const rows = this.#sql.exec(
      `SELECT CAST(terms.id AS TEXT) AS id, filter FROM terms JOIN executions ON executions.id = terms.id
       WHERE terms.id IN (SELECT value FROM json_each(?)) AND is_read = 1`,
      JSON.stringify(ids),
    );
    return new Map(
      Array.from(rows, (row) => {
        const { id, filter } = filterRow.parse(row);
        return [id, new TermFilter(new Uint8Array(filter))] as const;
      }),
    );
  }
}

/** Filters one behind the other. */
class FilterChunk {
  /** Id, first byte counted from 1, and number of bytes. */
  readonly places: [string, number, number][] = [];
  readonly #filters: Uint8Array[] = [];
  byteLength = 0;

  add(id: string, filter: Uint8Array): void {
    this.places.push([id, this.byteLength + 1, filter.length]);
    this.#filters.push(filter);
    this.byteLength += filter.length;
  }

  bytes(): Uint8Array {
    const all = new Uint8Array(this.byteLength);
    let at = 0;
    for (const filter of this.#filters) {
      all.set(filter, at);
      at += filter.length;
    }
    return all;
  }
}
