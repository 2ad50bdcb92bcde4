/**
 * Clients that are not registered. The OAuth library looks up every client id in its store as `client:<client id>`, so
 * it gets a store that finds these, too. Nothing is written for them. Only keys with that prefix are handled: a client
 * id in a forged code can appear in the key of a grant.
 */
import type { ClientInfo } from "@cloudflare/workers-oauth-provider";

export const CLIENT_PREFIX = "client:";

/** @param find returns undefined for a client that the store itself may have */
export function withClients(env: Env, find: (clientId: string) => Promise<ClientInfo> | undefined): Env {
  const store = env.OAUTH_KV;
  const get: KVNamespace["get"] = (key: unknown, ...options: unknown[]) => {
    const isClient = typeof key === "string" && key.startsWith(CLIENT_PREFIX);
    const found = isClient ? find(key.slice(CLIENT_PREFIX.length)) : undefined;
    return found ?? Reflect.apply(store.get, store, [key, ...options]);
  };
  return {
    ...env,
    OAUTH_KV: {
      get,
      getWithMetadata: store.getWithMetadata.bind(store),
      list: store.list.bind(store),
      put: store.put.bind(store),
      delete: store.delete.bind(store),
    },
  };
}
