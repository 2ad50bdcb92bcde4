/**
 * Callers' own n8n keys: what they are given is read with their key, never with the operator's, and of the history they
 * see the workflows that their key lists. Which those are is kept for a minute, by a digest of the key.
 */
import { READING_SCOPE } from "../features/check-connection/n8n-checks.ts";
import { createCorrelationDigest } from "../history/request-ids/correlation-digest.ts";
import type { N8nClient } from "../n8n/client.ts";
import { readAllWorkflows } from "../n8n/unsaved-workflows.ts";
import type { Grant } from "../n8n/view.ts";
import { systemClock } from "../platform/clock.ts";
import { MINUTE_MS } from "../platform/durations.ts";
import { ObserverError, OWN_KEY } from "../platform/errors.ts";
import { log } from "../platform/log.ts";
import {
  addressOf,
  type CallerAccess,
  type N8nInstance,
  readInstances,
  readN8nKeys,
  SCOPES,
} from "../settings/index.ts";
import { createClient, type Requester } from "./n8n-access.ts";

const KEPT_MS = MINUTE_MS;
/** Of all keys together: some megabytes. */
const MAX_KEPT_IDS = 100_000;
/** A person waits for it. */
const TRY_MS = 10_000;

interface Listed {
  readonly at: number;
  readonly keptMs: number;
  readonly ids: readonly string[];
}
/** Values, not promises: a request must not wait for what another one began. */
const kept = new Map<string, Listed>();

/** Undefined where the operator's key reads for everybody. @throws ObserverError `N8N_UNAUTHORIZED` without a key of their own */
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
  // Also not after the clock was set back.
  if (known !== undefined && Math.abs(now - known.at) < known.keptMs) return grantsFor(known);
  const { workflows } = await readAllWorkflows(client);
  // One that took longer than it is kept would be of use to nobody.
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

/** Asks n8n whether it takes a key, and with which scopes it could change anything; null if this n8n does not tell. */
export async function tryKey(env: Env, userId: string, name: string, key: string) {
  const instance = readInstances(env).get(name);
  if (instance === undefined) throw new TypeError("There is no n8n of this name.");
  const requester: Requester = {
    userId,
    countBytes: () => {},
    log,
  };
  const client = createClient(env, requester, instance, key);
  await client.listWorkflowFacts({ limit: 1 }, { timeoutMs: TRY_MS });
  await client.listExecutions({ limit: 1 }, { timeoutMs: TRY_MS });
  const scopes = await client.discoverScopes({ timeoutMs: TRY_MS });
  return { writing: scopes?.filter((scope) => !READING_SCOPE.test(scope)) ?? null };
}
