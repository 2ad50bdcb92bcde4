/**
 * After consent, sends the browser to the provider to sign in (OpenID Connect Core §3.1.2.1).
 *
 * It takes a consent, not a request, so that only approved requests get here. The OAuth library creates the `state` and
 * binds it to the browser. The code verifier stays on this server until the code is exchanged.
 */
import type { ApprovedConsent, OAuthHelpers } from "@cloudflare/workers-oauth-provider";
import { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomNonce } from "oauth4webapi";
import * as z from "zod";
import type { OidcSettings } from "../../settings/index.ts";
import { givenKeys } from "../caller.ts";
import { discoverProvider } from "./discovery.ts";

export const CALLBACK_PATH = "/callback";

/** The data that is stored with the state until the provider calls back. */
export const pendingSignIn = z.object({
  nonce: z.string(),
  codeVerifier: z.string(),
  issuer: z.string(),
  withData: z.boolean(),
  /** The person's n8n keys. The OAuth library encrypts this data. */
  keys: givenKeys.default({}),
  insists: z.boolean().default(false),
});

export type PendingSignIn = z.infer<typeof pendingSignIn>;

/** @returns the address for the browser, and its cookies. @throws as `discoverProvider` */
export async function beginSignIn(
  oauth: OAuthHelpers,
  consent: ApprovedConsent,
  oidc: OidcSettings,
  publicUrl: string,
  { withData, keys, insists }: Pick<PendingSignIn, "withData" | "keys" | "insists">,
): Promise<{ redirectTo: string; headers: Headers }> {
  const provider = await discoverProvider(oidc);
  const nonce = generateRandomNonce();
  const codeVerifier = generateRandomCodeVerifier();
  const data: PendingSignIn = { nonce, codeVerifier, issuer: oidc.issuer, withData, keys, insists };
  const { state, headers } = await oauth.beginUpstream(consent.request, { data, headers: consent.headers });
  const url = new URL(provider.authorization_endpoint);
  const parameters = {
    response_type: "code",
    client_id: oidc.clientId,
    redirect_uri: publicUrl + CALLBACK_PATH,
    scope: oidc.scopes.join(" "),
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { redirectTo: url.href, headers };
}
