/**
 * How long a registered client is kept. No I/O. No clock: `now` is passed in. Seconds, as in KV.
 *
 * - The library's time to live is the upper limit. A token exchange in its second half renews it. That half is as long as
 *   a grant lives, so that no live grant ever loses its client.
 * - A client that never got a grant is deleted after a day: most clients, and all of a flood.
 * - A client that had a grant is kept for a while after its last one, since apps reuse their client id.
 */

export const ACCESS_TOKEN_SECONDS = 3600;
/** The library's default, named here because a client's lifetime depends on it. */
export const GRANT_SECONDS = 30 * 24 * 3600;
export const CLIENT_SECONDS = 2 * GRANT_SECONDS;
export const UNUSED_CLIENT_SECONDS = 24 * 3600;
export const IDLE_CLIENT_SECONDS = 30 * 24 * 3600;

export interface ClientUse {
  /** When the record expires. A client that does not expire was not registered by a stranger. */
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
