/** Tells whether what was sent is what was sent before, without keeping it. */
import { createHash } from "node:crypto";

/** @returns SHA-256 of the parts in their order, base64; a text counts as its UTF-8 */
export function contentDigest(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("base64");
}
