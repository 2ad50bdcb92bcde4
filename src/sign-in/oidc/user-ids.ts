/**
 * Opaque user ids: an HMAC of issuer and subject, the two claims that identify a person permanently (OpenID Connect
 * Core §5.7). They appear in plain text in tokens and logs, and do not reveal the person.
 *
 * The key is created once and never leaves this single Durable Object. It is not derived from a configured secret:
 * traces and grants are stored under the id, which must survive a new client secret.
 */
import { DurableObject } from "cloudflare:workers";
import { createHmac, randomBytes } from "node:crypto";
import { ObjectCalls } from "../../platform/object-calls.ts";

const KEY = "key";
const KEY_BYTES = 32;

export class UserIds extends DurableObject<Env> {
  /** `oidc-` and 43 characters of base64url. */
  idOf(issuer: string, subject: string): string {
    const text = JSON.stringify([issuer, subject]);
    return `oidc-${createHmac("sha256", this.#key()).update(text).digest("base64url")}`;
  }

  #key(): Uint8Array {
    const { kv } = this.ctx.storage;
    const known = kv.get<Uint8Array>(KEY);
    if (known !== undefined) return known;
    const made = new Uint8Array(randomBytes(KEY_BYTES));
    kv.put(KEY, made);
    return made;
  }
}

export function userIdOf(env: Env, issuer: string, subject: string): Promise<string> {
  const users = new ObjectCalls("UserIds", () => env.USER_IDS.getByName("user-ids"));
  return users.repeatable(async (object) => await object.idOf(issuer, subject));
}
