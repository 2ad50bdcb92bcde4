/** The provider's metadata (OpenID Connect Discovery 1.0), cached for a few minutes. The library caches the keys. */
import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
} from "oauth4webapi";
import * as z from "zod";
import { MINUTE_MS } from "../../platform/durations.ts";
import { isLoopbackHost, type OidcSettings } from "../../settings/index.ts";
import { fetchFromProvider, requireSafeAddress } from "./provider-fetch.ts";

const KEPT_FOR_MS = 10 * MINUTE_MS;

/** Asymmetric algorithms, whose key only the provider has: neither `none` nor a shared secret (RFC 8725 §3.1). */
const SIGNING_ALGORITHMS = new Set(
  "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 Ed25519 EdDSA".split(" "),
);

const address = z.url({ protocol: /^https?$/ });

const providerMetadata = z.object({
  authorization_endpoint: address,
  token_endpoint: address,
  jwks_uri: address,
  userinfo_endpoint: address.exactOptional(),
  // The default is RS256 (OpenID Connect Core §3.1.3.7).
  id_token_signing_alg_values_supported: z
    .array(z.string())
    .default(["RS256"])
    .transform((algorithms) => algorithms.filter((algorithm) => SIGNING_ALGORITHMS.has(algorithm))),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(["client_secret_basic"]),
});

export type OpenIdProvider = AuthorizationServer & z.infer<typeof providerMetadata>;

let remembered: { issuer: string; provider: OpenIdProvider; until: number } | undefined;

/** @throws ProviderFault or an error of oauth4webapi or zod, see `sign-in-fault.ts` */
export async function discoverProvider(oidc: OidcSettings): Promise<OpenIdProvider> {
  if (remembered?.issuer === oidc.issuer && Date.now() < remembered.until) return remembered.provider;
  const issuer = new URL(oidc.issuer);
  const metadata = await processDiscoveryResponse(
    issuer,
    await discoveryRequest(issuer, requestOptions(oidc)),
  );
  const provider = { ...metadata, ...providerMetadata.parse(metadata) };
  requireSafeAddress(provider.authorization_endpoint);
  remembered = { issuer: oidc.issuer, provider, until: Date.now() + KEPT_FOR_MS };
  return provider;
}

export function requestOptions({ issuer }: OidcSettings) {
  return {
    [customFetch]: fetchFromProvider,
    [allowInsecureRequests]: isLoopbackHost(new URL(issuer).hostname),
  };
}
