/** Stores capabilities outside workerd: in memory, copied as on the way to a real Durable Object. */
import { type Capabilities, NOTHING_KNOWN } from "../../src/n8n/capabilities/capabilities.ts";
import type { CapabilityStore } from "../../src/n8n/capabilities/store.ts";
import { EXECUTION_STATUSES } from "../../src/n8n/schemas.ts";

export interface LocalCapabilities extends CapabilityStore {
  known: Capabilities;
}

/** The capabilities of an n8n 2, so that no request is needed to learn them. */
export const N8N_2: Capabilities = {
  statuses: [...EXECUTION_STATUSES],
  listsStatus: true,
  filtersDates: true,
  clampsLimit: true,
  knowsRedaction: true,
  tellsScopes: true,
  queues: false,
};

export function createLocalCapabilities(known: Capabilities = NOTHING_KNOWN): LocalCapabilities {
  const store: LocalCapabilities = {
    known,
    recall: async () => structuredClone(store.known),
    async learn(learnt) {
      store.known = { ...store.known, ...structuredClone(learnt) };
    },
  };
  return store;
}
