/**
 * Which keys hold secrets, whatever way they are spelled: `x-api-key`, `xApiKey`, `X_API_KEY` are one.
 * Pure; compares words, so that `author` or `totalTokens` are not taken for `authorization` or `token`.
 */

/** The last word of a key that makes its value a secret. */
const SENSITIVE_LAST_WORDS = new Set([
  "authorization",
  "auth",
  "bearer",
  "cookie",
  "cookies",
  "credential",
  "jwt",
  "otp",
  "pass",
  "passcode",
  "passphrase",
  "passwd",
  "password",
  "pwd",
  "secret",
  "secrets",
  "signature",
  "token",
]);

/** Two last words that do so together. */
const SENSITIVE_LAST_PAIRS = new Set([
  "access key",
  "account key",
  "api key",
  "api keys",
  "auth key",
  "client key",
  "encryption key",
  "private key",
  "secret key",
  "set cookie",
  "shared key",
  "signing key",
  "subscription key",
]);

/** Written as one word without a seam to split at. */
const SENSITIVE_JOINED =
  /(?:apikey|accesskey|privatekey|secretkey|authtoken|accesstoken|refreshtoken|idtoken|sessiontoken|clientsecret|resumetoken|password|passwd)$/;

/** Names that would only annoy: they end like a secret and are none. */
const HARMLESS = new Set(["continuation token", "next page token", "page token", "sync token"]);

/** `xApiKey`, `x-api-key`, `X_API_KEY`, `x.api.key` → `["x", "api", "key"]`. */
function wordsOf(key: string): string[] {
  return key
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** What stands in a key for a secret that was redacted: its words name the kind, and not the key. */
const MARK = /\[REDACTED:[a-z-]+\]/g;

/** No key that names a secret is longer, and splitting a long one costs time. */
const MAX_KEY_LENGTH = 256;

export function isSensitiveKey(key: string): boolean {
  const words = wordsOf(key.slice(-MAX_KEY_LENGTH).replace(MARK, " redacted "));
  const name = words.join(" ");
  if (HARMLESS.has(name)) return false;
  const last = words.at(-1) ?? "";
  if (SENSITIVE_LAST_WORDS.has(last)) return true;
  if (SENSITIVE_LAST_PAIRS.has(words.slice(-2).join(" "))) return true;
  return SENSITIVE_JOINED.test(last);
}
