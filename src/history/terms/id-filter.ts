/**
 * A filter for the ids of an execution that exceed its rows: a batch's ids are still found, and nobody can
 * fill the index with them. It shows that an id is absent, or that the execution has to be read. Pure.
 */
import { type FilterPrecision, TermFilter, writeFilter } from "./term-filter.ts";
import type { Term } from "./term-hasher.ts";

/** Ids beyond these are not known. */
export const MAX_FILTERED_IDS = 1_000;

/** One of 100,000 absent ids passes for present; for each such id, every call reads the execution. */
const PRECISION: FilterPrecision = { bitsForEach: 24, probes: 16, leastBytes: 128 };

export interface FilteredId {
  readonly digest: string;
  readonly needsData: boolean;
}

/** An id that requires `n8n:data` has another term, so that nobody else learns that it is there. */
function termOf({ digest, needsData }: FilteredId): Term {
  const bytes = Buffer.from(digest, "base64url");
  const at = needsData ? 8 : 0;
  return { high: bytes.readInt32LE(at), low: bytes.readInt32LE(at + 4) };
}

export function toIdFilter(ids: readonly FilteredId[]): string | null {
  if (ids.length === 0) return null;
  const terms = ids.slice(0, MAX_FILTERED_IDS).map(termOf);
  const contents = { terms, count: terms.length, hasCutWords: false, isPartial: false };
  const bytes = writeFilter(contents, PRECISION);
  return Buffer.from(bytes).toString("base64");
}

export const mayHoldId = (filter: string, id: FilteredId): boolean =>
  new TermFilter(Buffer.from(filter, "base64")).mayHold(termOf(id), PRECISION);
