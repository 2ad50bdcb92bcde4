/** SHA-256 in one step. No I/O. */
import { createHash } from "node:crypto";

/** A text counts as its UTF-8. @returns 32 bytes */
export const sha256 = (text: string): Uint8Array => createHash("sha256").update(text, "utf8").digest();

/** @returns the hash of the parts in their order, as a text; a part that is a text counts as its UTF-8 */
export function sha256Text(
  encoding: "hex" | "base64" | "base64url",
  ...parts: readonly (string | Uint8Array)[]
): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest(encoding);
}
