/**
 * How correlation ids are remembered: as HMAC-SHA-256 under a key that no storage holds, cut to 128 bits.
 * Who reads the storage learns neither the ids nor whether two users saw the same one.
 */
import { createHmac, createSecretKey } from "node:crypto";

export type CorrelationDigest = (correlationId: string) => string;

const DIGEST_BYTES = 16;

/**
 * @param secret known to the Worker alone
 * @param userId each user's digests have a key of their own
 */
export function createCorrelationDigest(secret: string, userId: string): CorrelationDigest {
  // A key object: made of bytes, each digest would make one anew, for five times the time.
  const key = createSecretKey(createHmac("sha256", secret).update(`correlation ids of ${userId}`).digest());
  return (correlationId) =>
    createHmac("sha256", key).update(correlationId).digest().subarray(0, DIGEST_BYTES).toString("base64url");
}
