/** Creates clients of n8n from the Worker's bindings, for a caller or for the index itself. */
import type { CapabilityStore } from "../n8n/capabilities/store.ts";
import { createN8nClient, type N8nClient } from "../n8n/client.ts";
import { createCapabilityStore, createTakeTurn, type LimiterAccess } from "../n8n/limiter/limiter-client.ts";
import { EVERYBODY } from "../n8n/limiter/slot-schedule.ts";
import { log } from "../platform/log.ts";
import { addressOf, type N8nInstance, readErrorText, readRedactionSettings } from "../settings/index.ts";
import { spans } from "./spans.ts";

/** On whose behalf a request is sent to n8n. */
export interface Requester {
  readonly userId: string;
  /** Whether it is sent for all callers that share it. */
  readonly isForAll?: boolean;
  /** Called for each chunk that n8n sends. */
  readonly countBytes: (bytes: number) => void;
  /** Called for each request that is sent to n8n. */
  readonly countRequest?: () => void;
}

/** Fails closed if settings of redaction or error texts are invalid. @param ownKey the caller's, if not the operator's */
export function createClient(
  env: Env,
  { userId, isForAll = false, countBytes, countRequest }: Requester,
  instance: N8nInstance,
  ownKey?: string,
): N8nClient {
  readRedactionSettings(env);
  readErrorText(env);
  const takeTurn = createTakeTurn(limiterOf(env, instance), isForAll ? EVERYBODY : userId, userId);
  const access = ownKey === undefined ? instance : { ...instance, apiKey: ownKey, isOwnKey: true };
  return createN8nClient(access, { countBytes, countRequest, takeTurn, spans });
}

/** Capabilities are stored per address. */
export const capabilityStoreOf = (env: Env, instance: N8nInstance): CapabilityStore =>
  createCapabilityStore(limiterOf(env, instance), addressOf(instance));

const limiterOf = (env: Env, instance: N8nInstance): LimiterAccess => ({
  namespace: env.N8N_LIMITER,
  instance: instance.name,
  log,
  placement: placementOf(instance),
});

/** Where an instance's Durable Objects are created. */
export const placementOf = ({ locationHint }: N8nInstance): DurableObjectNamespaceGetDurableObjectOptions =>
  locationHint === undefined ? {} : { locationHint };
