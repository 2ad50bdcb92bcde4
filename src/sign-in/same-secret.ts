/** Compares secrets without a timing leak: both sides are hashed first. No I/O. */
import { timingSafeEqual } from "node:crypto";
import { sha256 } from "../platform/sha256.ts";

/** In constant time. */
export const sameDigest = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

/** In constant time. */
export const sameSecret = (one: string, other: string): boolean => sameDigest(sha256(one), sha256(other));
