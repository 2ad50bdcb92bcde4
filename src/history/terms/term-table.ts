/**
 * Which of up to 128 executions have a term: one table for all of them, so that a search looks a term up once, and what
 * all runs of a workflow have in common is stored once. Pure.
 *
 * Entries ascend by hash, which has a bucket and a remainder (Elias 1974, Fano 1971):
 *
 *   entries   sets   buckets                            remainders   places                          sets
 *   4 bytes   1      1 for each entry, 0 ends a bucket   1 each      1 each: an execution's place,   16 bytes each:
 *                    (bits)                                          or from 128 on a set            a bit for each place
 */
import { hasBit, setBit } from "./bits.ts";
import { HASHES } from "./term-filter.ts";

/** Places are less than this. */
export const PLACES = 128;

const HEADER_BYTES = 5;
const REMAINDERS = 256;
const BUCKETS = HASHES / REMAINDERS;
const SET_BYTES = PLACES / 8;
const MAX_SETS = 128;
const NOWHERE = new Uint8Array(SET_BYTES);
const ONES = Uint8Array.from({ length: 256 }, (_one, byte) => byte.toString(2).replaceAll("0", "").length);

/** A term, and the places of its executions as characters of a string. */
interface Group {
  readonly hash: number;
  readonly places: string;
}

/** @param pairs for each term of each execution: the hash times `PLACES`, plus the place */
export function packTable(pairs: Uint32Array): Uint8Array {
  const groups = groupsOf(pairs);
  const sets = usefulSets(groups);
  const count = groups.reduce((sum, { places }) => sum + (sets.has(places) ? 1 : places.length), 0);
  const bytes = new Uint8Array(partsAt(count).sets + sets.size * SET_BYTES);
  new DataView(bytes.buffer).setUint32(0, count);
  bytes[HEADER_BYTES - 1] = sets.size;
  const table = new TermTable(bytes);
  let entry = 0;
  for (const { hash, places } of groups) {
    const set = sets.get(places);
    if (set !== undefined) table.write(entry++, hash, PLACES + set);
    else for (const place of placesIn(places)) table.write(entry++, hash, place);
  }
  for (const [places, set] of sets) for (const place of placesIn(places)) setBit(table.setAt(set), place);
  return bytes;
}

function* placesIn(places: string): Generator<number, void> {
  for (let at = 0; at < places.length; at += 1) yield places.charCodeAt(at);
}

function groupsOf(pairs: Uint32Array): readonly Group[] {
  const groups: { hash: number; places: string }[] = [];
  for (const pair of pairs.toSorted()) {
    const hash = Math.floor(pair / PLACES);
    const place = String.fromCharCode(pair % PLACES);
    const last = groups.at(-1);
    if (last?.hash === hash) last.places += place;
    else groups.push({ hash, places: place });
  }
  return groups;
}

/** The sets that save bytes, by their places; those that save most if there are too many. */
function usefulSets(groups: readonly Group[]): ReadonlyMap<string, number> {
  const saved = new Map<string, number>();
  for (const { places } of groups)
    if (places.length > 1) saved.set(places, (saved.get(places) ?? -SET_BYTES) + 2 * (places.length - 1));
  const useful = [...saved]
    .filter(([, bytes]) => bytes > 0)
    .sort(([places, bytes], [others, more]) => more - bytes || (places < others ? -1 : 1));
  return new Map(useful.slice(0, MAX_SETS).map(([places], set) => [places, set]));
}

/** The offsets of the parts of a table. */
function partsAt(count: number) {
  const remainders = HEADER_BYTES + Math.ceil((count + BUCKETS) / 8);
  return { remainders, places: remainders + count, sets: remainders + 2 * count };
}

export class TermTable {
  readonly #bytes: Uint8Array;
  readonly #buckets: Uint8Array;
  readonly #at: ReturnType<typeof partsAt>;
  readonly #found = new Map<number, Uint8Array>();

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#at = partsAt(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0));
    this.#buckets = bytes.subarray(HEADER_BYTES, this.#at.remainders);
  }

  holds(hash: number, place: number): boolean {
    const found = this.#found.get(hash) ?? this.#placesOf(hash);
    this.#found.set(hash, found);
    return hasBit(found, place);
  }

  #placesOf(hash: number): Uint8Array {
    const bucket = Math.floor(hash / REMAINDERS);
    let places = NOWHERE;
    for (let bit = this.#beginOf(bucket); hasBit(this.#buckets, bit); bit += 1) {
      const entry = bit - bucket;
      if (this.#bytes[this.#at.remainders + entry] !== hash % REMAINDERS) continue;
      // Copied before the first change.
      if (places === NOWHERE) places = new Uint8Array(SET_BYTES);
      this.#addPlaces(places, entry);
    }
    return places;
  }

  /** The bit after `bucket` zeros. */
  #beginOf(bucket: number): number {
    const buckets = this.#buckets;
    let byte = 0;
    let zeros = 0;
    for (let more = 8; ; byte += 1, zeros += more) {
      more = 8 - (ONES[buckets[byte] ?? 0] ?? 0);
      if (zeros + more >= bucket) break;
    }
    let bit = byte * 8;
    for (; zeros < bucket; bit += 1) if (!hasBit(buckets, bit)) zeros += 1;
    return bit;
  }

  #addPlaces(places: Uint8Array, entry: number): void {
    const place = this.#bytes[this.#at.places + entry] ?? 0;
    if (place < PLACES) setBit(places, place);
    else
      this.setAt(place - PLACES).forEach((byte, at) => {
        places[at] = (places[at] ?? 0) | byte;
      });
  }

  /** Calls `see` for each term of each execution, in ascending order of hashes. */
  each(see: (hash: number, place: number) => void): void {
    const { remainders, places: placesAt, sets } = this.#at;
    for (let bit = 0, bucket = 0; bit - bucket < sets - placesAt; bit += 1) {
      if (!hasBit(this.#buckets, bit)) {
        bucket += 1;
        continue;
      }
      const hash = bucket * REMAINDERS + (this.#bytes[remainders + bit - bucket] ?? 0);
      const places = new Uint8Array(SET_BYTES);
      this.#addPlaces(places, bit - bucket);
      for (let place = 0; place < PLACES; place += 1) if (hasBit(places, place)) see(hash, place);
    }
  }

  setAt(set: number): Uint8Array {
    const from = this.#at.sets + set * SET_BYTES;
    return this.#bytes.subarray(from, from + SET_BYTES);
  }

  write(entry: number, hash: number, place: number): void {
    setBit(this.#buckets, entry + Math.floor(hash / REMAINDERS));
    this.#bytes[this.#at.remainders + entry] = hash % REMAINDERS;
    this.#bytes[this.#at.places + entry] = place;
  }
}
