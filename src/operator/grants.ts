/**
 * `POST /operator/grants/list` and `/operator/grants/revoke`: list who is signed in with which client, and revoke
 * grants. The OAuth library lists only the grants of one user, so its keys are read (`grant:<user id>:<grant id>`, see
 * its storage schema).
 */
import type { OAuthHelpers } from "@cloudflare/workers-oauth-provider";
import * as z from "zod";
import { activityLog } from "../activity-log/activity-log.ts";
import { logSignIn } from "../sign-in/sign-in-log.ts";
import { endGrant, type GrantKey } from "../sign-in/tokens/grant-ledger.ts";
import { readBody, toAnswer } from "./read-body.ts";

/** Keys per answer: each grant costs one read, and a revocation several. */
const PAGE_KEYS = 100;

const cursor = z.string().max(1_024).optional();
const listQuery = z.strictObject({ cursor });
const revocation = z.strictObject({ id: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/), cursor });

export async function listGrants(request: Request, env: Env): Promise<Response> {
  const { cursor: from } = await readBody(request, listQuery);
  const page = await readKeys(env, from);
  const read = await Promise.all(page.keys.map(async (key) => await readGrant(key, env)));
  const stored = read.filter((grant) => grant !== undefined);
  const ids = [...new Set(stored.flatMap(({ grantId, clientId }) => [grantId, clientId]))];
  const known = await activityLog(env).repeatable(async (log) => await log.clients(ids));
  const grants = stored.map((grant) => ({
    ...grant,
    clientName: known.get(grant.clientId)?.name ?? null,
    lastUsedAt: toTime(known.get(grant.grantId)?.lastUsedAt ?? null),
  }));
  return toAnswer({ grants, cursor: page.cursor });
}

export async function revokeGrants(request: Request, env: Env, oauth: OAuthHelpers): Promise<Response> {
  const { id, cursor: from } = await readBody(request, revocation);
  const page = await readKeys(env, from);
  const revoked = page.keys.filter(({ userId, grantId }) => id === userId || id === grantId);
  for (const { userId, grantId } of revoked) {
    await endGrant(env, oauth, { userId, grantId });
    logSignIn({ outcome: "revoked", via: "operator", userId, grantId });
  }
  return toAnswer({ revoked, cursor: page.cursor });
}

async function readKeys(env: Env, from: string | undefined) {
  const list = await env.OAUTH_KV.list({ prefix: "grant:", limit: PAGE_KEYS, cursor: from ?? null });
  const keys = list.keys.flatMap(({ name }): GrantKey[] => {
    const [kind, userId, grantId, ...more] = name.split(":");
    if (kind !== "grant" || userId === undefined || grantId === undefined || more.length > 0) return [];
    return [{ userId, grantId }];
  });
  return { keys, cursor: list.list_complete ? null : list.cursor };
}

/** What the library stores of a grant, in part. */
const storedGrant = z.object({
  clientId: z.string(),
  scope: z.array(z.string()),
  metadata: z.object({ via: z.string() }).nullish().catch(null),
  createdAt: z.number(),
  expiresAt: z.number().optional(),
});

/** Undefined for one that has ended meanwhile. The library reads all grants of a user at once. */
async function readGrant({ userId, grantId }: GrantKey, env: Env) {
  const { data } = storedGrant.safeParse(await env.OAUTH_KV.get(`grant:${userId}:${grantId}`, "json"));
  if (data === undefined) return undefined;
  const { clientId, scope: scopes, metadata, createdAt, expiresAt } = data;
  const times = {
    createdAt: toTime(createdAt * 1_000),
    expiresAt: toTime(expiresAt === undefined ? null : expiresAt * 1_000),
  };
  return { userId, grantId, clientId, via: metadata?.via ?? null, scopes, ...times };
}

const toTime = (epochMs: number | null): string | null =>
  epochMs === null ? null : new Date(epochMs).toISOString();
