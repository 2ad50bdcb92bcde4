/**
 * How long a registered client is kept. No I/O. No clock: `now` is passed in. Seconds, as in KV.
 *
 * - The library's time to live limits everything: a client that exchanges no token for half of it is not renewed. Half
 *   of it equals the lifetime of a grant, so that no live grant ever loses its client.
 * - A client that never got a grant is deleted after a day. That is most of them, and all of a flood.
 * - A client that had one is kept for a while after its last grant, since apps reuse their client id.
 */

export const ACCESS_TOKEN_SECONDS = 3600;
/** The library's default, named here because the client's time depends on it. */
export const GRANT_SECONDS = 30 * 24 * 3600;
export const CLIENT_SECONDS = 2 * GRANT_SECONDS;
export const UNUSED_CLIENT_SECONDS = 24 * 3600;
export const IDLE_CLIENT_SECONDS = 30 * 24 * 3600;

export interface ClientUse {
  /** When the record expires. Clients that do not expire were not registered by strangers. */
  readonly expiration: number | undefined;
  readonly hasGrant: boolean;
  readonly grantSeenAt: number | undefined;
}

export function isAbandoned({ expiration, hasGrant, grantSeenAt }: ClientUse, now: number): boolean {
  if (expiration === undefined || hasGrant) return false;
  if (grantSeenAt !== undefined) return now >= grantSeenAt + IDLE_CLIENT_SECONDS;
  // Only a token exchange renews a client, so this one was never used.
  const registeredAt = expiration - CLIENT_SECONDS;
  return now >= registeredAt + UNUSED_CLIENT_SECONDS;
}
