/**
 * Records the tokens issued for one grant by the rules of `token-chain.ts`, and whether it has ended. A Durable Object
 * for each grant decides which of two simultaneous requests is the first, and an end takes effect everywhere at once.
 * The OAuth library stores grants in KV, which has no compare-and-set, and may serve deleted entries for a minute.
 *
 * It stores digests of codes and refresh tokens, the provider's too, never the tokens themselves, until the grant must
 * have expired. A query about a grant that does not exist writes nothing.
 */
import { DurableObject } from "cloudflare:workers";
import type { OAuthHelpers } from "@cloudflare/workers-oauth-provider";
import { MINUTE_MS } from "../../platform/durations.ts";
import { ObjectCalls } from "../../platform/object-calls.ts";
import { sha256Text } from "../../platform/sha256.ts";
import { GRANT_SECONDS } from "../registration/client-retention.ts";
import { beginChain, extendChain, includesToken, isSuperseded, type TokenChain } from "./token-chain.ts";

const CHAIN_KEY = "chain";
const ENDED_KEY = "ended";
const UPSTREAM_KEY = "upstream";
/** Longer than the provider takes to answer, and than KV serves overwritten entries. */
const UPSTREAM_REFRESH_MS = 2 * MINUTE_MS;
/** No refresh extends a grant; the extra day is for tokens that were issued at its very end. */
const KEPT_FOR_MS = (GRANT_SECONDS + 24 * 60 * 60) * 1_000;

export interface GrantKey {
  readonly userId: string;
  readonly grantId: string;
}

/** Digest of a recently used refresh token of the provider → when it was used, in epoch ms. */
type UsedUpstream = Readonly<Record<string, number>>;

export class GrantLedger extends DurableObject<Env> {
  /** @returns false when the code was exchanged before, which ends the grant */
  async recordExchange(code: string, issued: string): Promise<boolean> {
    return this.#record((chain) => (chain === undefined ? beginChain(issued, code) : undefined));
  }

  /** @returns false when the refresh token was superseded, which ends the grant */
  async recordRefresh(presented: string, issued: string): Promise<boolean> {
    // A grant without a chain is older than this ledger.
    return this.#record((chain) => extendChain(chain ?? beginChain(presented), presented, issued));
  }

  /** @returns whether a token that the library refused was once valid, which ends the grant */
  async recordRefusal(presented: string): Promise<boolean> {
    const { kv } = this.ctx.storage;
    const chain = kv.get<TokenChain>(CHAIN_KEY);
    if (chain === undefined || kv.get(ENDED_KEY) || !isSuperseded(chain, presented)) return false;
    await this.end();
    return true;
  }

  /**
   * Call this before using the provider's refresh token: many providers accept each token once, and end the sign-in at
   * a second use (RFC 9700 §4.14.2). @returns false while another request uses it, or has just exchanged it
   */
  async beginUpstreamRefresh(digest: string): Promise<boolean> {
    const now = Date.now();
    const used = Object.entries(this.#usedUpstream)
      // A time in the future was stored before the clock was set back.
      .filter(([, begunAt]) => Math.abs(now - begunAt) < UPSTREAM_REFRESH_MS);
    if (used.some(([one]) => one === digest)) return false;
    this.ctx.storage.kv.put<UsedUpstream>(UPSTREAM_KEY, { ...Object.fromEntries(used), [digest]: now });
    await this.#keep();
    return true;
  }

  get #usedUpstream(): UsedUpstream {
    return this.ctx.storage.kv.get<UsedUpstream>(UPSTREAM_KEY) ?? {};
  }

  /** Call this if the provider did not replace its refresh token, which stays in use. */
  async endUpstreamRefresh(digest: string): Promise<void> {
    const { [digest]: _ended, ...others } = this.#usedUpstream;
    this.ctx.storage.kv.put<UsedUpstream>(UPSTREAM_KEY, others);
  }

  /** Ends the grant if this is one of its refresh tokens, or its code. */
  async recordRevocation(presented: string): Promise<void> {
    const chain = this.ctx.storage.kv.get<TokenChain>(CHAIN_KEY);
    if (chain !== undefined && includesToken(chain, presented)) await this.end();
  }

  /** Stores the end for as long as KV could still serve any part of the grant. */
  async end(): Promise<void> {
    this.ctx.storage.kv.put(ENDED_KEY, true);
    await this.ctx.storage.setAlarm(Date.now() + KEPT_FOR_MS);
  }

  async hasEnded(): Promise<boolean> {
    return this.ctx.storage.kv.get(ENDED_KEY) === true;
  }

  /** Synchronous up to the alarm. A grant that has ended stays so, even if KV still serves it. */
  async #record(extend: (chain: TokenChain | undefined) => TokenChain | undefined): Promise<boolean> {
    const { kv } = this.ctx.storage;
    const extended = kv.get(ENDED_KEY) ? undefined : extend(kv.get<TokenChain>(CHAIN_KEY));
    if (extended === undefined) {
      await this.end();
      return false;
    }
    kv.put(CHAIN_KEY, extended);
    await this.#keep();
    return true;
  }

  async #keep(): Promise<void> {
    const { storage } = this.ctx;
    if ((await storage.getAlarm()) === null) await storage.setAlarm(Date.now() + KEPT_FOR_MS);
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}

export function grantLedger(
  env: Env,
  { userId, grantId }: GrantKey,
): ObjectCalls<DurableObjectStub<GrantLedger>> {
  return new ObjectCalls("GrantLedger", () => env.GRANT_LEDGER.getByName(`${userId}:${grantId}`));
}

/**
 * Records the use of an assertion, as a grant of its own whose code is exchanged at once. The library's own record is
 * in KV, where two simultaneous uses may both be the first. @returns false when it was used before
 */
export async function recordAssertion(env: Env, userId: string, assertion: string): Promise<boolean> {
  const digest = sha256Text("base64url", assertion);
  const ledger = grantLedger(env, { userId, grantId: `assertion-${digest}` });
  return await ledger.once(async (object) => await object.recordExchange(digest, digest));
}

/** @throws if the ledger does not answer: a token must not count as valid by accident */
export const hasEnded = async (env: Env, grant: GrantKey): Promise<boolean> =>
  await grantLedger(env, grant).repeatable(async (object) => await object.hasEnded());

/** Ends a grant with all its tokens, everywhere at once. */
export async function endGrant(env: Env, oauth: OAuthHelpers, grant: GrantKey): Promise<void> {
  // The ledger comes first, because it takes effect at once: KV may serve deleted entries for a while.
  await grantLedger(env, grant).repeatable(async (object) => await object.end());
  await oauth.revokeGrant(grant.grantId, grant.userId);
}
