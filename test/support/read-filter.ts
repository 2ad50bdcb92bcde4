/** Reads the filter of an execution from its block, as a search does. */
import { FilterBlock, packBlock } from "../../src/history/terms/filter-block.ts";
import type { TermFilter } from "../../src/history/terms/term-filter.ts";

export function readFilter(written: Uint8Array): TermFilter {
  const filter = new FilterBlock(packBlock(new Map([[0, written]]))).filterAt(0);
  if (filter === null) throw new Error("The block has lost the filter.");
  return filter;
}
