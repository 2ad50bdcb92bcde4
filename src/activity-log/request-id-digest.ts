/**
 * What the activity log keeps of a request id: an HMAC. The id is whatever the caller wrote, so it may hold
 * anything, and a reader of the log must not find it by trying order numbers. Someone who knows an id can still ask
 * who looked for it.
 */
import { createHmac } from "node:crypto";
import { ObserverError } from "../platform/errors.ts";
import { readInstances, type SettingsSource } from "../settings/index.ts";

const DIGEST_BYTES = 16;

/** The digest is `undefined` while there is no key: then no call gets as far as n8n either. */
export function createRequestIdDigest(source: SettingsSource): (requestId: string) => string | undefined {
  return (requestId) => {
    const key = keyOf(source);
    if (key === undefined) return undefined;
    const digest = createHmac("sha256", `request ids of the audit\0${key}`).update(requestId.trim()).digest();
    return digest.subarray(0, DIGEST_BYTES).toString("base64url");
  };
}

/**
 * The API keys are known to the Worker alone, and spare another secret. All instances' keys together, since whoever
 * runs one n8n knows its key.
 */
function keyOf(source: SettingsSource): string | undefined {
  try {
    return [...readInstances(source).values()].map(({ apiKey }) => apiKey).join("\0");
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return undefined;
  }
}
