/** Starts the OpenID providers of the tests in workerd, real and hostile, in Node, once before the tests. */
import type { TestProject } from "vitest/node";
import { startHostileOidcProvider } from "../../support/hostile-oidc-provider.ts";
import { startOidcProvider } from "../../support/oidc-provider.ts";
import { MANAGED_PROVIDER_PLACE } from "../outside-world.ts";
import { MANAGED_ISSUER, PUBLIC_URL } from "../secrets.ts";

declare module "vitest" {
  interface ProvidedContext {
    realProvider: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
    /** The real provider, with an ID token that contains only the subject. */
    thinProvider: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
    /** A provider that issues assertions, at the https address they need. */
    managedProvider: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
    hostileProvider: string;
  }
}

const ACCOUNTS = {
  ada: { sub: "ada-1815", email: "Ada@Example.com", email_verified: true, groups: ["engineering", "staff"] },
  grace: { sub: "grace-1906", email: "grace@example.com", email_verified: true, groups: ["staff"] },
  mallory: { sub: "mallory-1", email: "mallory@evil-example.com", email_verified: true, groups: [] },
  unverified: { sub: "unverified-1", email: "ada@example.com", email_verified: false },
};

export default async function startProviders({ provide }: TestProject): Promise<() => Promise<void>> {
  const options = { accounts: ACCOUNTS, redirectUris: [`${PUBLIC_URL}/callback`] };
  const [managed, real, thin, hostile] = await Promise.all([
    startOidcProvider({ ...options, issuer: MANAGED_ISSUER }),
    startOidcProvider(options),
    startOidcProvider({ ...options, claimsInUserInfoOnly: true }),
    startHostileOidcProvider(),
  ]);
  const facts = ({ issuer, clientId, clientSecret }: typeof real) => ({ issuer, clientId, clientSecret });
  process.env[MANAGED_PROVIDER_PLACE] = managed.place;
  provide("managedProvider", facts(managed));
  provide("realProvider", facts(real));
  provide("thinProvider", facts(thin));
  provide("hostileProvider", hostile.base);
  return async () => {
    await Promise.all([managed.stop(), real.stop(), thin.stop(), hostile.stop()]);
  };
}
