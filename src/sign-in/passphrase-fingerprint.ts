/**
 * Ties what was signed in by passphrase to that passphrase: when it is changed, because someone knows it who
 * should not, every token that came by the old one is worth nothing.
 *
 * The fingerprint is an HMAC of the passphrase. Whoever has one could try passphrases on it, so its key is
 * random and stays in a Durable Object, and the fingerprint is in the token's encrypted props: one would need
 * the token, the KV namespace and the object's storage, all three.
 */
import { createHmac } from "node:crypto";
import { readSignInSettings } from "../settings/index.ts";
import type { TokenProps } from "./caller.ts";
import { sameSecret } from "./digest.ts";
import { readFingerprintKey } from "./passphrase-lock.ts";

/** It never changes, so an isolate asks for it once. */
let key: string | undefined;

/** Fingerprint of the configured passphrase; `undefined` without one. */
export async function fingerprintPassphrase(env: Env): Promise<string | undefined> {
  const { passphrase } = readSignInSettings(env);
  if (passphrase === undefined) return undefined;
  key ??= await readFingerprintKey(env);
  return createHmac("sha256", key).update(passphrase).digest("base64url");
}

/** Whether a token may go on as far as the passphrase is concerned: one that did not come by it, always. */
export async function isOfCurrentPassphrase(props: TokenProps, env: Env): Promise<boolean> {
  if (props.via !== "passphrase") return true;
  const current = await fingerprintPassphrase(env);
  const given = props.passphraseFingerprint;
  return current !== undefined && given !== undefined && sameSecret(given, current);
}
