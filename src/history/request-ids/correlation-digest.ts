/**
 * How correlation ids are remembered: as HMAC-SHA-256 under a key that no storage holds, cut to 128 bits.
 * Who reads the storage does not learn the ids, nor whether two indexes hold the same one.
 */
import { createHmac, createSecretKey } from "node:crypto";

export type CorrelationDigest = (correlationId: string) => string;

const DIGEST_BYTES = 16;

/** @param secret known to the Worker alone @param purpose what the digests are for: each has a key of its own */
export function createCorrelationDigest(secret: string, purpose: string): CorrelationDigest {
  // A key object: with bytes, each digest would take five times as long.
  const key = createSecretKey(createHmac("sha256", secret).update(`correlation ids of ${purpose}`).digest());
  return (correlationId) =>
    createHmac("sha256", key).update(correlationId).digest().subarray(0, DIGEST_BYTES).toString("base64url");
}

const TERM_KEY_BYTES = 16;

/** The key of one index's terms (`terms/term-hasher.ts`). @param secret known to the Worker alone */
export function createTermKey(secret: string, indexName: string): Uint8Array {
  const key = createHmac("sha256", secret).update(`search terms of ${indexName}`).digest();
  return Uint8Array.from(key.subarray(0, TERM_KEY_BYTES));
}
