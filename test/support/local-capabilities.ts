/** Where capabilities are kept outside workerd: in memory, copied as on the way to a real object. */
import { type Capabilities, NOTHING_KNOWN } from "../../src/n8n/capabilities/capabilities.ts";
import type { CapabilityStore } from "../../src/n8n/capabilities/store.ts";
import { EXECUTION_STATUSES } from "../../src/n8n/schemas.ts";

export interface LocalCapabilities extends CapabilityStore {
  known: Capabilities;
}

/** An n8n 2 that is known already: nothing is asked to learn of it. */
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
