/**
 * Callers' own n8n keys: everything that such a caller gets is read with their key, never with the operator's, and they
 * see the history of the workflows that their key lists. That list is cached for a minute, by a digest of the key.
 */
import { READING_SCOPE } from "../features/check-connection/n8n-checks.ts";
import { createCorrelationDigest } from "../history/request-ids/correlation-digest.ts";
import type { N8nClient } from "../n8n/client.ts";
import { readAllWorkflows } from "../n8n/unsaved-workflows.ts";
import type { Grant } from "../n8n/view.ts";
import { systemClock } from "../platform/clock.ts";
import { MINUTE_MS } from "../platform/durations.ts";
import { ObserverError, OWN_KEY } from "../platform/errors.ts";
import {
  addressOf,
  type CallerAccess,
  type N8nInstance,
  readInstances,
  readN8nKeys,
  SCOPES,
} from "../settings/index.ts";
import { createClient } from "./n8n-access.ts";

const KEPT_MS = MINUTE_MS;
/** For all keys together: some megabytes. */
const MAX_KEPT_IDS = 100_000;
/** Timeout of a request that tries a key: a person is waiting. */
const TRY_MS = 10_000;

interface Listed {
  readonly at: number;
  readonly keptMs: number;
  readonly ids: readonly string[];
}
/** Digest of a key → its workflows. Not promises: in workerd a request must not await another request's I/O. */
const kept = new Map<string, Listed>();

/** Undefined if the operator's key reads for everybody. @throws ObserverError `N8N_UNAUTHORIZED` if the caller has no key */
export function ownKeyOf(env: Env, access: CallerAccess, { name }: N8nInstance): string | undefined {
  if (access.kind !== "own keys" && readN8nKeys(env) === "shared") return undefined;
  if (access.kind === "own keys" && Object.hasOwn(access.n8nKeys, name)) return access.n8nKeys[name];
  throw new ObserverError("N8N_UNAUTHORIZED", "You have given no API key of yours for this n8n.", {
    field: OWN_KEY,
    solution: "Connect again in your app (on the page: sign out and in), and give a key for it there.",
  });
}

/** The workflows that a key lists. @throws ObserverError when n8n fails or refuses the key */
export async function grantsOfKey(client: N8nClient, key: string, instance: N8nInstance): Promise<Grant[]> {
  const digest = createCorrelationDigest(key, "the workflows that it lists")(addressOf(instance));
  const known = kept.get(digest);
  const now = systemClock.now();
  // A time in the future was stored before the clock was set back.
  if (known !== undefined && Math.abs(now - known.at) < known.keptMs) return grantsFor(known);
  const { workflows } = await readAllWorkflows(client);
  // A list that took longer to read than `KEPT_MS` would otherwise expire unused.
  const keptMs = Math.max(KEPT_MS, 2 * (systemClock.now() - now));
  const listed = { at: now, keptMs, ids: workflows.map(({ id }) => id) };
  kept.delete(digest);
  kept.set(digest, listed);
  forgetOldest(now);
  return grantsFor(listed);
}

const grantsFor = ({ ids }: Listed): Grant[] => [{ workflows: { ids: [...ids] }, scopes: SCOPES }];

function forgetOldest(now: number): void {
  let ids = [...kept.values()].reduce((sum, listed) => sum + listed.ids.length, 0);
  for (const [digest, listed] of kept) {
    if (ids <= MAX_KEPT_IDS && now - listed.at < listed.keptMs) return;
    kept.delete(digest);
    ids -= listed.ids.length;
  }
}

/** Tries a key on n8n. `writing`: its scopes that can change something; null if this n8n does not report scopes. */
export async function tryKey(env: Env, userId: string, name: string, key: string) {
  const instance = readInstances(env).get(name);
  if (instance === undefined) throw new TypeError("There is no n8n of this name.");
  const client = createClient(env, { userId, countBytes: () => {} }, instance, key);
  await client.listWorkflowFacts({ limit: 1 }, { timeoutMs: TRY_MS });
  await client.listExecutions({ limit: 1 }, { timeoutMs: TRY_MS });
  const scopes = await client.discoverScopes({ timeoutMs: TRY_MS });
  return { writing: scopes?.filter((scope) => !READING_SCOPE.test(scope)) ?? null };
}
