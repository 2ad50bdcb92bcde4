/** Names what a memory is of, so that what was learnt elsewhere is not believed here. */
import type { CorrelationDigest } from "./correlation-digest.ts";

/**
 * Changes with the n8n, with the request-id paths, and with the key of the digests.
 * @param paths as the settings give them
 */
export function memoryIdentity(
  digest: CorrelationDigest,
  n8nBaseUrl: string,
  paths: readonly string[],
): string {
  return digest(JSON.stringify([n8nBaseUrl, [...paths].sort()]));
}
