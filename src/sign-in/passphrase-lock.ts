/**
 * The only place where a passphrase is compared: a single Durable Object, so that all addresses share one counter.
 *
 * - A try is counted and stored *before* it is compared, in one synchronous turn: guesses sent in parallel cannot be
 *   compared more often than `lock-out.ts` admits.
 * - While it is locked, the right passphrase is refused too: otherwise guessing could continue.
 * - Eviction and restarts do not reset the counter. No passphrase and no hash of one is ever stored.
 *
 * Fingerprints tie sign-ins to their passphrase: changing it invalidates every token issued for the old one. A
 * fingerprint is an HMAC under a random key. To test passphrases against one, an attacker needs the token that holds it
 * encrypted, the KV namespace and this storage.
 */
import { DurableObject } from "cloudflare:workers";
import { createHmac } from "node:crypto";
import { ObjectCalls } from "../platform/object-calls.ts";
import { readSignInSettings } from "../settings/index.ts";
import type { TokenProps } from "./caller.ts";
import { admitTry, lockedSeconds, type TryRecord } from "./lock-out.ts";
import { sameSecret } from "./same-secret.ts";

export type PassphraseVerdict =
  | { readonly outcome: "right" }
  | { readonly outcome: "wrong"; readonly triesLeft: number }
  /** `retryAfter` is in seconds. */
  | { readonly outcome: "locked"; readonly retryAfter: number };

const RECORD_KEY = "tries";
const FINGERPRINT_KEY = "fingerprint-key";

export class PassphraseLock extends DurableObject<Env> {
  attempt(given: string): PassphraseVerdict {
    const { kv } = this.ctx.storage;
    const now = Date.now();
    const admission = admitTry(kv.get<TryRecord>(RECORD_KEY), now);
    if (!admission.admitted) return { outcome: "locked", retryAfter: admission.retryAfter };
    const { record, triesLeft } = admission;
    kv.put(RECORD_KEY, record);
    if (this.#matches(given)) {
      kv.delete(RECORD_KEY);
      return { outcome: "right" };
    }
    if (triesLeft > 0) return { outcome: "wrong", triesLeft };
    return { outcome: "locked", retryAfter: lockedSeconds(record, now) };
  }

  /** Created on first use: base64url of 32 bytes. */
  fingerprintKey(): string {
    const { kv } = this.ctx.storage;
    const known = kv.get<string>(FINGERPRINT_KEY);
    if (known !== undefined) return known;
    const made = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
    kv.put(FINGERPRINT_KEY, made);
    return made;
  }

  #matches(given: string): boolean {
    const { passphrase } = readSignInSettings(this.env);
    return passphrase !== undefined && sameSecret(given.trim(), passphrase);
  }
}

const passphraseLock = (env: Env) =>
  new ObjectCalls("PassphraseLock", () => env.PASSPHRASE_LOCK.getByName("passphrase"));

export const readFingerprintKey = async (env: Env): Promise<string> =>
  await passphraseLock(env).repeatable(async (lock) => await lock.fingerprintKey());

/** @throws ObserverError `INTERRUPTED` when it is unknown whether the try was counted */
export const attemptPassphrase = async (env: Env, given: string): Promise<PassphraseVerdict> =>
  await passphraseLock(env).once(async (lock) => await lock.attempt(given));

/** It never changes, so each isolate reads it once. */
let key: string | undefined;

/** `undefined` without a passphrase. */
export async function fingerprintPassphrase(env: Env): Promise<string | undefined> {
  const { passphrase } = readSignInSettings(env);
  if (passphrase === undefined) return undefined;
  key ??= await readFingerprintKey(env);
  return createHmac("sha256", key).update(passphrase).digest("base64url");
}

/** Also true for every token that was not issued for a passphrase. */
export async function isOfCurrentPassphrase(props: TokenProps, env: Env): Promise<boolean> {
  if (props.via !== "passphrase") return true;
  const current = await fingerprintPassphrase(env);
  const given = props.passphraseFingerprint;
  return current !== undefined && given !== undefined && sameSecret(given, current);
}
