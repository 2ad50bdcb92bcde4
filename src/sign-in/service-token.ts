/** Service tokens: fixed bearer tokens (RFC 6750) for clients without a browser. Only hashes are configured. No I/O. */
import { memoizeByObject } from "../platform/memoize.ts";
import type { ServiceToken, SettingsSource } from "../settings/index.ts";
import { accessUnder } from "./access-rules.ts";
import type { Admission } from "./admit-caller.ts";

/** By their hash; the settings hand out the same list until they change. */
const byHash = memoizeByObject(
  (entries: readonly ServiceToken[]) => new Map(entries.map((entry) => [entry.sha256.toLowerCase(), entry])),
);

/** A look-up by hash leaks nothing by its time: a caller cannot choose the hash without knowing the token. */
export async function findServiceToken(
  presented: string,
  entries: readonly ServiceToken[],
): Promise<ServiceToken | undefined> {
  // This runs in each request, and `node:crypto` takes ten times as long in workerd.
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(presented));
  return byHash(entries).get(Buffer.from(digest).toString("hex"));
}

/** The prefix distinguishes service tokens from people's ids. @returns undefined if no access rule applies to the token */
export function admitService(
  { name, scopes }: ServiceToken,
  settings: SettingsSource,
): Admission | undefined {
  const given = accessUnder(settings, { token: name }, scopes);
  const caller = { userId: `service-${name}`, via: "service-token" } as const;
  return given && { caller: { ...caller, access: given.access }, scopes: given.scopes };
}
