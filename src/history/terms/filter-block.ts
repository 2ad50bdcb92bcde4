/**
 * The filters of executions with neighbouring ids, packed so that a search reads one value for all of them. A block
 * knows for each of its ids whether there is an execution, and its filter. Pure.
 */
import { TermFilter } from "./term-filter.ts";

/** Filters have 4 KB at most, so the largest block is well below the maximum size of a value (2 MB). */
export const IDS_OF_BLOCK = 128;

const LENGTH_BYTES = 2;
/** No execution has the id. Any other entry is the filter's length plus one; 1 if there is no filter. */
const NO_ENTRY = 0;
const NOTHING = new Uint8Array(0);

export interface PackedBlock {
  readonly lengths: Uint8Array;
  /** The filters, concatenated; null if all of them were forgotten. */
  readonly filters: Uint8Array | null;
}

/** A filter's bytes by its id's place in the block; null if an execution has no filter. */
export type BlockEntries = Map<number, Uint8Array | null>;

const entryAt = (lengths: Uint8Array, place: number): number =>
  (lengths[place * LENGTH_BYTES] ?? 0) | ((lengths[place * LENGTH_BYTES + 1] ?? 0) << 8);

export function packBlock(entries: BlockEntries): PackedBlock {
  const lengths = new Uint8Array(IDS_OF_BLOCK * LENGTH_BYTES);
  const parts: Uint8Array[] = [];
  for (let place = 0; place < IDS_OF_BLOCK; place += 1) {
    const filter = entries.get(place);
    if (filter === undefined) continue;
    const entry = (filter?.length ?? 0) + 1;
    lengths[place * LENGTH_BYTES] = entry & 0xff;
    lengths[place * LENGTH_BYTES + 1] = entry >>> 8;
    if (filter !== null) parts.push(filter);
  }
  return { lengths, filters: joined(parts) };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export function unpackBlock({ lengths, filters }: PackedBlock): BlockEntries {
  const entries: BlockEntries = new Map();
  eachEntry(lengths, (place, from, to) => {
    entries.set(place, filters === null || from === to ? null : filters.slice(from, to));
  });
  return entries;
}

/** Called with the bounds of each filter, which are equal if there is none. */
type SeeEntry = (place: number, from: number, to: number) => void;

function eachEntry(lengths: Uint8Array, see: SeeEntry): void {
  let from = 0;
  for (let place = 0; place < IDS_OF_BLOCK; place += 1) {
    const entry = entryAt(lengths, place);
    if (entry === NO_ENTRY) continue;
    see(place, from, from + entry - 1);
    from += entry - 1;
  }
}

/**
 * The entries that concern a search, highest place first. Only these filters are copied, so that the block can be
 * released: a search reads the blocks of all history.
 */
export function concerning(
  { lengths, filters }: PackedBlock,
  concerns: (filter: TermFilter) => boolean,
): [place: number, filter: TermFilter | null][] {
  const found: [number, TermFilter | null][] = [];
  eachEntry(lengths, (place, from, to) => {
    if (filters === null || from === to) found.push([place, null]);
    else if (concerns(new TermFilter(filters, from, to)))
      found.push([place, new TermFilter(filters.slice(from, to))]);
  });
  return found.reverse();
}

export const EMPTY_BLOCK: PackedBlock = {
  lengths: new Uint8Array(IDS_OF_BLOCK * LENGTH_BYTES),
  filters: NOTHING,
};
