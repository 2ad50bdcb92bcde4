/** Names what a memory is of, so that what was learnt elsewhere is not believed here. */
import type { CorrelationDigest } from "./correlation-digest.ts";

/** Counted up when other values of an execution are remembered than before: what was read then lacks them. */
const REMEMBERED = 2;

/**
 * Changes with the n8n, with the request-id paths, and with the key of the digests.
 * @param paths as the settings give them
 */
export function memoryIdentity(
  digest: CorrelationDigest,
  n8nBaseUrl: string,
  paths: readonly string[],
): string {
  return digest(JSON.stringify([REMEMBERED, n8nBaseUrl, [...paths].sort()]));
}
