/**
 * Deletes unused records, by cron: expired grants and tokens by the library's own sweep, registered clients by the
 * rules of `client-retention.ts`. A Worker's limits bound each run; the next one continues.
 */
import type { OAuthAuthorizationServer } from "@cloudflare/workers-oauth-provider";
import * as z from "zod";
import { IDLE_CLIENT_SECONDS, isAbandoned } from "./client-retention.ts";
import { registrationGate } from "./registration-gate.ts";
import { MAXIMUM_PER_WINDOW } from "./registration-limits.ts";
import { CLIENT_PREFIX } from "./unregistered-clients.ts";

/** As many as can be registered in an hour. The library looks for grants at each deletion. */
export const MAXIMUM_DELETIONS = MAXIMUM_PER_WINDOW;
const SWEEP_BATCH = 100;
const SWEEP_CURSOR_KEY = "purge-cursor";
const GRANT_PREFIX = "grant:";

/** The client of a grant: the library writes it into the grant, and into its KV metadata if it fits there. */
export const grantOwner = z.object({ clientId: z.string() });

/** @param now epoch ms */
export async function purgeClients(
  env: Env,
  server: OAuthAuthorizationServer<Env>,
  now: number,
): Promise<{ readonly kept: number; readonly deleted: number }> {
  const seconds = Math.floor(now / 1000);
  const granted = await findClientsWithGrants(env.OAUTH_KV);
  const sightings = await registrationGate(env).repeatable(
    async (gate) => await gate.noteGrants([...granted], seconds),
  );
  const seen = new Map(sightings.map(({ clientId, seenAt }) => [clientId, seenAt]));
  const clients = await listKeys(env.OAUTH_KV, CLIENT_PREFIX);
  const abandoned = clients
    .map(({ name, expiration }) => ({ clientId: name.slice(CLIENT_PREFIX.length), expiration }))
    .filter(({ clientId, expiration }) =>
      isAbandoned({ expiration, hasGrant: granted.has(clientId), grantSeenAt: seen.get(clientId) }, seconds),
    )
    .slice(0, MAXIMUM_DELETIONS);
  const oauth = server.getOAuthApi(env);
  for (const { clientId } of abandoned) await oauth.deleteClient(clientId);
  const kept = clients.length - abandoned.length;
  await registrationGate(env).repeatable(
    async (gate) => await gate.settle(kept, seconds - IDLE_CLIENT_SECONDS),
  );
  await sweep(env, server);
  return { kept, deleted: abandoned.length };
}

async function findClientsWithGrants(kv: KVNamespace): Promise<Set<string>> {
  const clients = new Set<string>();
  for (const { name, metadata } of await listKeys(kv, GRANT_PREFIX)) {
    const beside = grantOwner.safeParse(metadata);
    // The library omits metadata that would not fit.
    const owner = beside.success ? beside : grantOwner.safeParse(await kv.get(name, "json"));
    if (owner.success) clients.add(owner.data.clientId);
  }
  return clients;
}

export async function listKeys(kv: KVNamespace, prefix: string): Promise<KVNamespaceListKey<unknown>[]> {
  const keys: KVNamespaceListKey<unknown>[] = [];
  let cursor: string | null = null;
  do {
    const page: KVNamespaceListResult<unknown> = await kv.list({ prefix, cursor });
    keys.push(...page.keys);
    cursor = page.list_complete ? null : page.cursor;
  } while (cursor !== null);
  return keys;
}

/** One batch of the library's sweep, from where the last run stopped. */
async function sweep(env: Env, server: OAuthAuthorizationServer<Env>): Promise<void> {
  const cursor = await env.OAUTH_KV.get(SWEEP_CURSOR_KEY);
  const from = cursor === null ? {} : { cursor };
  const result = await server.purgeExpiredData(env, { batchSize: SWEEP_BATCH, ...from });
  if (result.cursor === undefined) await env.OAUTH_KV.delete(SWEEP_CURSOR_KEY);
  else await env.OAUTH_KV.put(SWEEP_CURSOR_KEY, result.cursor);
}
