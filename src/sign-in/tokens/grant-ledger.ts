/**
 * What was issued for one grant: a Durable Object for each, so that of two requests in the same instant,
 * from anywhere, one is the first. The OAuth library keeps grants in KV, which cannot compare and set and
 * may serve what is a minute old. `token-chain.ts` has the rules; this stores.
 *
 * It holds digests of codes and refresh tokens, never one of them, and is forgotten when the grant has ended by
 * itself. Being asked about a grant that does not exist writes nothing.
 */
import { DurableObject } from "cloudflare:workers";
import { ObjectCalls } from "../../platform/object-calls.ts";
import { GRANT_SECONDS } from "../registration/client-retention.ts";
import { beginChain, extendChain, isSuperseded, type TokenChain } from "./token-chain.ts";

const CHAIN_KEY = "chain";
const ENDED_KEY = "ended";

export class GrantLedger extends DurableObject<Env> {
  /** The grant's code was exchanged. @returns false when it was before, which ends the grant */
  async recordExchange(code: string, issued: string): Promise<boolean> {
    return this.#record((chain) => (chain === undefined ? beginChain(issued, code) : undefined));
  }

  /** A refresh token was exchanged. @returns false when it was superseded, which ends the grant */
  async recordRefresh(presented: string, issued: string): Promise<boolean> {
    // A grant without a chain is older than this ledger.
    return this.#record((chain) => extendChain(chain ?? beginChain(presented), presented, issued));
  }

  /** Whether a code or refresh token that the library refused was good once. If so, the grant has ended. */
  async recordRefusal(presented: string): Promise<boolean> {
    const { kv } = this.ctx.storage;
    const chain = kv.get<TokenChain>(CHAIN_KEY);
    if (chain === undefined || kv.get(ENDED_KEY) || !isSuperseded(chain, presented)) return false;
    kv.put(ENDED_KEY, true);
    return true;
  }

  /** In one synchronous turn up to the alarm. What has ended stays so, whatever KV still serves. */
  async #record(extend: (chain: TokenChain | undefined) => TokenChain | undefined): Promise<boolean> {
    const { kv } = this.ctx.storage;
    const extended = kv.get(ENDED_KEY) ? undefined : extend(kv.get<TokenChain>(CHAIN_KEY));
    if (extended === undefined) kv.put(ENDED_KEY, true);
    else kv.put(CHAIN_KEY, extended);
    // No grant lives longer than this from its code, and no refresh makes it longer.
    if ((await this.ctx.storage.getAlarm()) === null)
      await this.ctx.storage.setAlarm(Date.now() + GRANT_SECONDS * 1_000);
    return extended !== undefined;
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}

/** The ledger of one grant. */
export function grantLedger(
  env: Env,
  userId: string,
  grantId: string,
): ObjectCalls<DurableObjectStub<GrantLedger>> {
  return new ObjectCalls("GrantLedger", () => env.GRANT_LEDGER.getByName(`${userId}:${grantId}`));
}
