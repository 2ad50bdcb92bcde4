/**
 * The activity log stores only an HMAC of a request id. The id is the caller's text, so it may contain anything, and a
 * reader of the log must not find it by trying order numbers. Who knows an id can still look up who searched for it.
 */
import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { readOr } from "../platform/errors.ts";
import { memoizeByObject } from "../platform/memoize.ts";
import { type N8nInstance, readInstances, type SettingsSource } from "../settings/index.ts";

const DIGEST_BYTES = 16;

/** The digest is `undefined` while the n8n instances cannot be read: then no call reaches n8n either. */
export function createRequestIdDigest(source: SettingsSource): (requestId: string) => string | undefined {
  return (requestId) => {
    const key = readOr(() => keyOf(readInstances(source)), undefined);
    if (key === undefined) return undefined;
    const digest = createHmac("sha256", key).update(requestId.trim()).digest();
    return digest.subarray(0, DIGEST_BYTES).toString("base64url");
  };
}

/** Derived from the API keys of all instances, to avoid another secret. The map is the same until settings change. */
const keyOf = memoizeByObject((instances: ReadonlyMap<string, N8nInstance>): KeyObject => {
  const keys = [...instances.values()].map(({ apiKey }) => apiKey).join("\0");
  return createSecretKey(Buffer.from(`request ids of the audit\0${keys}`));
});
