/** Filters as the database has them. */
import type { SqlValue } from "../../platform/sql.ts";
import { TermFilter } from "./term-filter.ts";

/**
 * Of rows with an `id` and a `filter`, those that have one. Looked at by hand: a search asks for those of all history.
 * @throws Error when a filter is none
 */
export function toFilters(rows: readonly Readonly<Record<string, SqlValue>>[]): Map<string, TermFilter> {
  const filters = new Map<string, TermFilter>();
  for (const { id, filter } of rows) {
    if (filter === null || filter === undefined) continue;
    const isBytes = filter instanceof ArrayBuffer || filter instanceof Uint8Array;
    if (typeof id !== "string" || !isBytes) throw new Error("A filter of the history index is none.");
    filters.set(id, new TermFilter(new Uint8Array(filter)));
  }
  return filters;
}
