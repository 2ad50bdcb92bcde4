/**
 * A Bloom filter (1970) for the ids of an execution that get no row: a batch's ids can still be found, and nobody can
 * fill the index with them. It says that an id is absent, or that the execution has to be read. Pure.
 */
import { hasBit, setBit } from "./bits.ts";
import type { Term } from "./term-hasher.ts";

/** Further ids are not stored. */
export const MAX_FILTERED_IDS = 1_000;

/** One in 100,000 absent ids is taken for present; for such an id, every call reads the execution. */
const BITS_FOR_EACH = 24;
const PROBES = 16;
/** Minimum, because small filters err more often: the probes of some ids hit the same few bits. */
const LEAST_BYTES = 128;
const RANGE = 2 ** 32;

export interface FilteredId {
  readonly digest: string;
  readonly needsData: boolean;
}

/** An id that requires `n8n:data` has another term, so that nobody else learns of it. */
function termOf({ digest, needsData }: FilteredId): Term {
  const bytes = Buffer.from(digest, "base64url");
  const at = needsData ? 8 : 0;
  return { high: bytes.readInt32LE(at), low: bytes.readInt32LE(at + 4) };
}

/** The bit of a probe: enhanced double hashing (Dillinger and Manolios, 2004). */
function bitOf({ high, low }: Term, probe: number, bits: number): number {
  const hash = (high + Math.imul(probe, low) + (probe * probe * probe - probe) / 6) >>> 0;
  return Math.floor((hash * bits) / RANGE);
}

export function toIdFilter(ids: readonly FilteredId[]): string | null {
  if (ids.length === 0) return null;
  const filtered = ids.slice(0, MAX_FILTERED_IDS);
  const bytes = Buffer.alloc(Math.max(LEAST_BYTES, Math.ceil((filtered.length * BITS_FOR_EACH) / 8)));
  for (const term of filtered.map(termOf))
    for (let probe = 0; probe < PROBES; probe += 1) setBit(bytes, bitOf(term, probe, bytes.length * 8));
  return bytes.toString("base64");
}

export function mayHoldId(filter: string, id: FilteredId): boolean {
  const bytes = Buffer.from(filter, "base64");
  const term = termOf(id);
  for (let probe = 0; probe < PROBES; probe += 1)
    if (!hasBit(bytes, bitOf(term, probe, bytes.length * 8))) return false;
  return true;
}
