/**
 * Enterprise-managed authorization (MCP extension; draft-ietf-oauth-identity-assertion-authz-grant): the provider
 * states in a signed assertion (ID-JAG) that a person may use this server with a certain app, and the app exchanges it
 * for an access token, without a browser. The OAuth library checks type, signature, issuer, audience, app, resource and
 * times. This module accepts assertions of the configured provider, each once, and applies the same lists as a sign-in
 * in a browser; they are checked again in each call. There is no refresh token.
 */
import type {
  EmaClaimsMapperInput,
  EmaClaimsMapperResult,
  EmaOptions,
} from "@cloudflare/workers-oauth-provider";
import { groupsNamedIn, readOidcSettings, SCOPES, type Scope } from "../../settings/index.ts";
import { admitCaller } from "../admit-caller.ts";
import type { TokenProps } from "../caller.ts";
import { logIncident, logSignIn } from "../sign-in-log.ts";
import { recordAssertion } from "../tokens/grant-ledger.ts";
import { discoverProvider } from "./discovery.ts";
import { findGroupsFault, toIdentity } from "./identity.ts";
import { refuseProviderFaults } from "./sign-in-fault.ts";
import { userIdOf } from "./user-ids.ts";

/** The algorithms that the library can verify. */
const ALGORITHMS = ["RS256", "ES256"];
const REASON = "enterprise_managed";

/** @param pin stores this server's origin before anything is issued */
export function managedAuthorization(pin: (env: Env) => Promise<void>): EmaOptions<Env> {
  return {
    async trustedIssuers({ iss, env, clientInfo: { clientId } }) {
      const oidc = readOidcSettings(env);
      if (oidc === undefined || !oidc.isManaged) return null;
      const provider = await refuseProviderFaults(clientId, () => discoverProvider(oidc));
      return iss === provider.issuer
        ? { issuer: iss, jwksUri: provider.jwks_uri, algorithms: [...ALGORITHMS] }
        : null;
    },
    async mapClaims(input) {
      try {
        return await admitAssertion(input, pin);
      } catch (error) {
        // The library refuses the request and drops the reason.
        logIncident(crypto.randomUUID(), error);
        throw error;
      }
    },
  };
}

async function admitAssertion(
  { claims, clientInfo, requestedScope, env }: EmaClaimsMapperInput<Env>,
  pin: (env: Env) => Promise<void>,
): Promise<EmaClaimsMapperResult | null> {
  const oidc = readOidcSettings(env);
  if (oidc === undefined || !oidc.isManaged) return null;
  const { clientId, clientName } = clientInfo;
  const groups = groupsNamedIn(env);
  const identity = toIdentity(claims, oidc, groups);
  const userId = await userIdOf(env, claims.iss, claims.sub);
  const props: TokenProps = { userId, via: "oidc", issuer: oidc.issuer, identity };
  const allowed = admitCaller(props, env)?.scopes;
  const scope = allowed && grantedScopes(claims.scope, requestedScope, allowed);
  const refusal =
    scope === undefined
      ? (findGroupsFault(claims, oidc, groups) ?? "not_allowed")
      : await findRefusal(env, userId, claims, scope);
  if (scope === undefined || refusal !== undefined) {
    logSignIn({ outcome: "refused", via: "oidc", userId, clientId, reason: refusal });
    return null;
  }
  await pin(env);
  logSignIn({ outcome: "token_issued", via: "oidc", userId, clientId, clientName, reason: REASON });
  return { userId, scope: [...scope], metadata: { via: props.via }, props };
}

/**
 * The scopes that the assertion, the app's request and the lists all allow. No person consents, so the assertion must
 * name the payload scope; the library would take a blank scope to allow whatever the app requests.
 */
function grantedScopes(
  asserted: string | undefined,
  requested: readonly string[],
  allowed: readonly Scope[],
): readonly Scope[] {
  const inAssertion = (asserted ?? "").split(" ").filter((scope) => scope !== "");
  const named =
    inAssertion.length === 0 ? ["n8n:read"] : requested.filter((scope) => inAssertion.includes(scope));
  return SCOPES.filter((scope) => allowed.includes(scope) && named.includes(scope));
}

async function findRefusal(
  env: Env,
  userId: string,
  { iss, jti }: EmaClaimsMapperInput["claims"],
  scope: readonly Scope[],
): Promise<string | undefined> {
  if (!scope.includes("n8n:read")) return "scope_not_asserted";
  return (await recordAssertion(env, userId, JSON.stringify([iss, jti]))) ? undefined : "assertion_replayed";
}
