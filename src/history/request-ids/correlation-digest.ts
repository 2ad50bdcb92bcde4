/**
 * Correlation ids are stored as HMAC-SHA-256 under a key that no storage holds, truncated to 128 bits. A reader of the
 * storage learns neither the ids nor whether two indexes hold the same one.
 */
import { createHmac, createSecretKey } from "node:crypto";

export type CorrelationDigest = (correlationId: string) => string;

const DIGEST_BYTES = 16;

/** @param secret known only to the Worker @param purpose what the digests are for: each purpose has its own key */
export function createCorrelationDigest(secret: string, purpose: string): CorrelationDigest {
  // A key object makes each digest five times as fast as raw key bytes.
  const key = createSecretKey(createHmac("sha256", secret).update(`correlation ids of ${purpose}`).digest());
  return (correlationId) =>
    createHmac("sha256", key).update(correlationId).digest().subarray(0, DIGEST_BYTES).toString("base64url");
}

const TERM_KEY_BYTES = 16;

/** The key for one index's terms (`terms/term-hasher.ts`). @param secret known only to the Worker */
export function createTermKey(secret: string, indexName: string): Uint8Array {
  const key = createHmac("sha256", secret).update(`search terms of ${indexName}`).digest();
  return Uint8Array.from(key.subarray(0, TERM_KEY_BYTES));
}
