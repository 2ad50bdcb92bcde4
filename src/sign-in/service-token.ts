/**
 * Service tokens: fixed bearer tokens (RFC 6750) for headless clients that cannot sign in through a
 * browser. Only their hashes are configured. No I/O.
 */
import { memoizeByObject } from "../platform/memoize.ts";
import type { Scope, ServiceToken, SettingsSource } from "../settings/index.ts";
import { accessUnder } from "./access-rules.ts";
import type { CallerProps } from "./caller.ts";
import { sameDigest } from "./same-secret.ts";

/** Entries are parsed once, and compared in each request. */
const digestOf = memoizeByObject(({ sha256 }: ServiceToken) => Buffer.from(sha256, "hex"));

/** Checks every entry, so that timing does not reveal which one matched. */
export async function findServiceToken(
  presented: string,
  entries: readonly ServiceToken[],
): Promise<ServiceToken | undefined> {
  // In each request: `node:crypto` would take ten times as long in workerd.
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(presented)));
  let found: ServiceToken | undefined;
  for (const entry of entries) {
    if (sameDigest(digest, digestOf(entry))) found = entry;
  }
  return found;
}

/** The prefix distinguishes service tokens from people's ids. @returns undefined if no access rule means the token */
export function admitService(
  { name, scopes }: ServiceToken,
  settings: SettingsSource,
): { readonly caller: CallerProps; readonly scopes: readonly Scope[] } | undefined {
  const given = accessUnder(settings, { token: name }, scopes);
  const caller = { userId: `service-${name}`, via: "service-token" } as const;
  return given && { caller: { ...caller, access: given.access }, scopes: given.scopes };
}
