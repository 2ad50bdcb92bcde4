/**
 * The filters of executions with neighbouring ids, packed so that a search reads one value for all of them. A block
 * knows for each id whether there is an execution, and its terms. Pure.
 */
import { countIn, flagsIn, hashAt, hashOf, TermFilter, toFilter } from "./term-filter.ts";
import { PLACES, packTable, TermTable } from "./term-table.ts";

/** Even with the maximum terms per execution, a block stays below the maximum size of a value (2 MB). */
export const IDS_OF_BLOCK = PLACES;

/** An execution has the id. */
const IS_THERE = 1;
/** Its terms are known. The flags of its filter are above these bits. */
const HAS_FILTER = 2;
const OWN_BITS = 2;

export interface PackedBlock {
  /** A byte for each id. */
  readonly flags: Uint8Array;
  /** Null if all terms were removed. */
  readonly terms: Uint8Array | null;
}

/** A filter's bytes by its id's place in the block; null if an execution has no filter. */
export type BlockEntries = Map<number, Uint8Array | null>;

export const EMPTY_BLOCK: PackedBlock = { flags: new Uint8Array(IDS_OF_BLOCK), terms: null };

export function packBlock(entries: BlockEntries): PackedBlock {
  const flags = new Uint8Array(IDS_OF_BLOCK);
  for (const [place, filter] of entries)
    flags[place] = IS_THERE | (filter === null ? 0 : HAS_FILTER | (flagsIn(filter) << OWN_BITS));
  return { flags, terms: packTable(pairsOf(entries)) };
}

function pairsOf(entries: BlockEntries): Uint32Array {
  const filters = [...entries].flatMap(([place, filter]) => (filter === null ? [] : [{ place, filter }]));
  const pairs = new Uint32Array(filters.reduce((sum, { filter }) => sum + countIn(filter), 0));
  let next = 0;
  for (const { place, filter } of filters)
    for (let index = 0; index < countIn(filter); index += 1)
      pairs[next++] = hashAt(filter, index) * PLACES + place;
  return pairs;
}

export class FilterBlock {
  readonly #flags: Uint8Array;
  readonly #terms: TermTable | null;

  constructor({ flags, terms }: PackedBlock) {
    this.#flags = flags;
    this.#terms = terms === null ? null : new TermTable(terms);
  }

  /** The places of all executions, the highest first. */
  get places(): readonly number[] {
    const places: number[] = [];
    for (let place = IDS_OF_BLOCK - 1; place >= 0; place -= 1)
      if (this.#flags[place] !== 0) places.push(place);
    return places;
  }

  /** Null if there is none. */
  filterAt(place: number): TermFilter | null {
    const terms = this.#terms;
    const flags = this.#flags[place] ?? 0;
    if (terms === null || (flags & HAS_FILTER) === 0) return null;
    return new TermFilter(flags >>> OWN_BITS, (term) => terms.holds(hashOf(term), place));
  }

  get entries(): BlockEntries {
    const hashes = new Map<number, number[]>(this.places.map((place) => [place, []]));
    this.#terms?.each((hash, place) => hashes.get(place)?.push(hash));
    return new Map(
      [...hashes].map(([place, own]) => {
        const flags = this.#flags[place] ?? 0;
        const isKnown = this.#terms !== null && (flags & HAS_FILTER) !== 0;
        return [place, isKnown ? toFilter(flags >>> OWN_BITS, own) : null];
      }),
    );
  }
}
