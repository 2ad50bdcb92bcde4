/**
 * The filters of all known executions in blocks, so that a search reads no row of an execution that it rules out.
 *
 * Promises: every execution with a row has an entry with its own filter. An entry may outlive its row: the row decides
 * what is known. Entries are written before rows and removed after them, so this holds wherever writing stops.
 */
import * as z from "zod";
import { readRows, type Sql } from "../../platform/sql.ts";
import {
  type BlockEntries,
  EMPTY_BLOCK,
  FilterBlock,
  IDS_OF_BLOCK,
  type PackedBlock,
  packBlock,
} from "./filter-block.ts";
import type { TermFilter } from "./term-filter.ts";

export const FILTER_TABLE = "filter_blocks";
export const CREATE_FILTER_TABLE = `CREATE TABLE ${FILTER_TABLE} (
  ids INTEGER PRIMARY KEY, flags BLOB NOT NULL, terms BLOB)`;

/** A page ends with the block that reaches one of these limits. */
const BLOCKS_OF_PAGE = 256;
const BYTES_OF_PAGE = 4_000_000;
const FILTERS_OF_PAGE = 500;
const SIZE = BigInt(IDS_OF_BLOCK);

const bytes = z
  .union([z.instanceof(Uint8Array), z.instanceof(ArrayBuffer)])
  .transform((value) => (value instanceof Uint8Array ? value : new Uint8Array(value)));
const blockRow = z.object({ ids: z.string(), flags: bytes, terms: bytes.nullable() });

/** Executions that may match a search, newest first; null for one without a filter. */
export interface FilterPage {
  readonly filters: ReadonlyMap<string, TermFilter | null>;
  readonly low: string;
}

export class FilterBlocks {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** @param filters by id; null if nothing is known about the execution's contents */
  put(filters: ReadonlyMap<string, Uint8Array | null>): void {
    this.#change([...filters.keys()], (entries, place, id) => entries.set(place, filters.get(id) ?? null));
  }

  /** Called for executions whose rows were removed. */
  remove(ids: readonly string[]): void {
    this.#change(ids, (entries, place) => entries.delete(place));
  }

  /** Removes all filters but keeps the entries. */
  forgetAll(): void {
    this.#run(`UPDATE ${FILTER_TABLE} SET terms = NULL`);
  }

  of(ids: readonly string[]): ReadonlyMap<string, TermFilter> {
    const found = new Map<string, TermFilter>();
    for (const [block, members] of byBlock(ids)) {
      const packed = new FilterBlock(this.#read(block));
      for (const id of members) {
        const filter = packed.filterAt(placeOf(id));
        if (filter !== null) found.set(id, filter);
      }
    }
    return found;
  }

  /** A page of filters, newest first; null at the end. @param concerns whether executions with this filter may match */
  page(below: string, downTo: string, concerns: (filter: TermFilter) => boolean): FilterPage | null {
    const [high, low] = [BigInt(below) - 1n, BigInt(downTo)];
    if (high < low) return null;
    const filters = new Map<string, TermFilter | null>();
    let reached: bigint | null = null;
    let bytesRead = 0;
    // One block at a time, because together they may be large.
    for (const row of this.#sql.exec(
      `SELECT CAST(ids AS TEXT) AS ids, flags, terms FROM ${FILTER_TABLE}
       WHERE ids <= CAST(?1 AS INTEGER) AND ids >= CAST(?2 AS INTEGER)
       ORDER BY ${FILTER_TABLE}.ids DESC LIMIT ${BLOCKS_OF_PAGE}`,
      String(high / SIZE),
      String(low / SIZE),
    )) {
      const { ids, ...packed } = blockRow.parse(row);
      const block = new FilterBlock(packed);
      const first = BigInt(ids) * SIZE;
      for (const place of block.places) {
        const filter = block.filterAt(place);
        if (filter !== null && !concerns(filter)) continue;
        const id = first + BigInt(place);
        if (id <= high && id >= low) filters.set(String(id), filter);
      }
      reached = first < low ? low : first;
      bytesRead += packed.terms?.length ?? 0;
      if (bytesRead >= BYTES_OF_PAGE || filters.size >= FILTERS_OF_PAGE) break;
    }
    return reached === null ? null : { filters, low: String(reached) };
  }

  #read(block: bigint): PackedBlock {
    const query = `SELECT CAST(ids AS TEXT) AS ids, flags, terms FROM ${FILTER_TABLE} WHERE ids = CAST(? AS INTEGER)`;
    return readRows(this.#sql, blockRow, query, String(block))[0] ?? EMPTY_BLOCK;
  }

  #change(ids: readonly string[], change: (entries: BlockEntries, place: number, id: string) => void): void {
    for (const [block, members] of byBlock(ids)) {
      const before = this.#read(block);
      const { entries } = new FilterBlock(before);
      for (const id of members) change(entries, placeOf(id), id);
      const after = packBlock(entries);
      if (!isSame(before, after)) this.#write(block, entries.size === 0 ? null : after);
    }
  }

  #write(block: bigint, packed: PackedBlock | null): void {
    const number = String(block);
    if (packed === null) this.#run(`DELETE FROM ${FILTER_TABLE} WHERE ids = CAST(? AS INTEGER)`, number);
    else
      this.#run(
        `INSERT OR REPLACE INTO ${FILTER_TABLE} VALUES (CAST(? AS INTEGER), ?, ?)`,
        number,
        packed.flags,
        packed.terms,
      );
  }

  #run(query: string, ...bindings: (string | Uint8Array | null)[]): void {
    for (const _row of this.#sql.exec(query, ...bindings));
  }
}

const placeOf = (id: string): number => Number(BigInt(id) % SIZE);

const byBlock = (ids: readonly string[]): Map<bigint, string[]> =>
  Map.groupBy(ids, (id) => BigInt(id) / SIZE);

const areSame = (one: Uint8Array | null, other: Uint8Array | null): boolean =>
  one === null || other === null ? one === other : Buffer.compare(one, other) === 0;

/** Running executions are read repeatedly, and are mostly unchanged. */
const isSame = (one: PackedBlock, other: PackedBlock): boolean =>
  areSame(one.flags, other.flags) && areSame(one.terms, other.terms);
