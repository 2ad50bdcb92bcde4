/**
 * Which grants were revoked: by the operator, or because a code or token of theirs came again. KV, where the
 * OAuth library keeps grants and tokens, may go on serving what was deleted for a minute, and a refresh that
 * runs meanwhile may write it anew. This is one Durable Object, so that a revocation counts everywhere from
 * the moment it is answered.
 */
import { DurableObject } from "cloudflare:workers";
import type { OAuthHelpers } from "@cloudflare/workers-oauth-provider";
import { ObjectCalls } from "../platform/object-calls.ts";

/** The oldest are forgotten; by then KV has long deleted them. */
export const MAX_REVOKED = 50_000;

export class RevokedGrants extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS revoked (number INTEGER PRIMARY KEY AUTOINCREMENT, grant_id TEXT NOT NULL UNIQUE)",
    );
  }

  async add(grantId: string): Promise<void> {
    const { sql } = this.ctx.storage;
    sql.exec("INSERT OR IGNORE INTO revoked (grant_id) VALUES (?)", grantId);
    sql.exec("DELETE FROM revoked WHERE number <= (SELECT MAX(number) FROM revoked) - ?", MAX_REVOKED);
  }

  async has(grantId: string): Promise<boolean> {
    return [...this.ctx.storage.sql.exec("SELECT 1 FROM revoked WHERE grant_id = ?", grantId)].length > 0;
  }
}

const revokedGrants = (env: Env) =>
  new ObjectCalls("RevokedGrants", () => env.REVOKED_GRANTS.getByName("grants"));

/** @throws when it cannot be told: a token must not count as good by accident */
export async function isRevoked(env: Env, grantId: string): Promise<boolean> {
  return await revokedGrants(env).repeatable(async (object) => await object.has(grantId));
}

/** Ends a grant with all its tokens, everywhere at once. */
export async function revokeGrant(
  env: Env,
  oauth: OAuthHelpers,
  { userId, grantId }: { readonly userId: string; readonly grantId: string },
): Promise<void> {
  // First where it counts at once: KV may serve what was deleted for a while.
  await revokedGrants(env).repeatable(async (object) => await object.add(grantId));
  await oauth.revokeGrant(grantId, userId);
}

/** Tokens of the library are `userId:grantId:secret`; of any other there is no grant. */
export function grantIdOf(token: string): string | undefined {
  const parts = token.split(":");
  return parts.length === 3 ? parts[1] : undefined;
}
