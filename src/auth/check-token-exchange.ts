/**
 * Asked by the OAuth library before it issues a token, for a code or for a refresh token. Refusing with
 * `invalid_grant` revokes the grant with all its tokens: who was taken off the lists does not come back
 * when put on again, without signing in.
 */
import { GrantType, type OAuthAuthorizationServer, OAuthError } from "@cloudflare/workers-oauth-provider";
import { readOidcSettings } from "../settings.ts";
import { admitCaller } from "./admit-caller.ts";
import { tokenProps } from "./caller.ts";
import { logSignIn } from "./sign-in-log.ts";

type TokenExchangeCallback = NonNullable<
  ConstructorParameters<typeof OAuthAuthorizationServer<Env>>[0]["tokenExchangeCallback"]
>;

/** @throws OAuthError `invalid_grant` when the person may not be here any more. */
export const checkTokenExchange: TokenExchangeCallback = (exchange) => {
  const { grantType, props, env, userId, clientId, grantId, requestedScope } = exchange;
  const parsed = tokenProps.safeParse(props);
  const admission = parsed.success ? admitCaller(parsed.data, env) : undefined;
  if (!parsed.success || admission === undefined) {
    const via = parsed.data?.via ?? "oidc";
    const outcome = grantType === GrantType.REFRESH_TOKEN ? "refresh_refused" : "refused";
    logSignIn({ event: "sign_in", outcome, via, userId, clientId, grantId, reason: "not_allowed_any_more" });
    throw new OAuthError("invalid_grant", { description: "Access was withdrawn. Sign in again." });
  }
  const scopes: readonly string[] = admission.scopes;
  const accessTokenScope = requestedScope.filter((scope) => scopes.includes(scope));
  const oidc = parsed.data.via === "oidc" ? readOidcSettings(env) : undefined;
  return oidc === undefined
    ? { accessTokenScope }
    : { accessTokenScope, refreshTokenTTL: oidc.sessionSeconds };
};
