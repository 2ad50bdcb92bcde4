/** Clients of n8n, made from the Worker's bindings, for a caller or for the index itself. */
import { type CapabilityStore, KnownCapabilities } from "../n8n/capabilities/store.ts";
import { createN8nClient, type N8nClient } from "../n8n/client.ts";
import { createCapabilityStore } from "../n8n/limiter/instance-capabilities.ts";
import { createTakeSlot, createTakeTurn } from "../n8n/limiter/take-slot.ts";
import { type N8nInstance, readErrorText, readRedactionSettings } from "../settings/index.ts";
import { spans } from "./spans.ts";

/** On whose behalf n8n is asked. */
export interface Asker {
  readonly userId: string;
  /** Called for each piece that n8n sends. */
  readonly countBytes: (bytes: number) => void;
  /** Called for each request that is sent to n8n. */
  readonly countRequest?: () => void;
  /** Operator's log: no payload, no token. */
  readonly log: (line: Readonly<Record<string, unknown>>) => void;
}

/** Fails closed: while it is not known what to redact or to show, or how much n8n may be asked, nothing is read. */
export function createClient(
  env: Env,
  { userId, countBytes, countRequest, log }: Asker,
  instance: N8nInstance,
): N8nClient {
  readRedactionSettings(env);
  readErrorText(env);
  const takes = [env.N8N_LIMITER, instance.name, userId, log, placementOf(instance)] as const;
  const [takeSlot, takeTurn] = [createTakeSlot(...takes), createTakeTurn(...takes)];
  return createN8nClient(instance, { countBytes, countRequest, takeSlot, takeTurn, spans });
}

export function createCapabilities(
  env: Env,
  asker: Pick<Asker, "log">,
  instance: N8nInstance,
): KnownCapabilities {
  return new KnownCapabilities(capabilityStoreOf(env, asker, instance));
}

/** Capabilities learnt from another address say nothing about this one. */
export function capabilityStoreOf(
  env: Env,
  { log }: Pick<Asker, "log">,
  instance: N8nInstance,
): CapabilityStore {
  const { name, baseUrl, apiPath } = instance;
  const address = `${baseUrl}${apiPath}`;
  return createCapabilityStore(env.N8N_LIMITER, name, address, log, placementOf(instance));
}

/** Where objects are made that belong to an n8n. */
export function placementOf({ locationHint }: N8nInstance): DurableObjectNamespaceGetDurableObjectOptions {
  return locationHint === undefined ? {} : { locationHint };
}
