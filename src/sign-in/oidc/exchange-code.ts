/**
 * Exchanges the provider's code, or later its refresh token, for trusted claims: the ID token is checked in full
 * (OpenID Connect Core §3.1.3.7), including its signature, even though it came straight from the token endpoint.
 */
import {
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  getValidatedIdTokenClaims,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  processUserInfoResponse,
  refreshTokenGrantRequest,
  skipStateCheck,
  type TokenEndpointResponse,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from "oauth4webapi";
import * as z from "zod";
import type { OidcSettings } from "../../settings/index.ts";
import type { PendingSignIn } from "./begin-sign-in.ts";
import { discoverProvider, type OpenIdProvider, requestOptions } from "./discovery.ts";

/** Seconds by which the provider's clock may be ahead of ours, or behind. */
const CLOCK_TOLERANCE = 60;

/** The claims that the library does not check. */
const idTokenClaims = z.looseObject({
  iss: z.string(),
  /** At most 255 characters (OpenID Connect Core §2). */
  sub: z.string().min(1).max(255),
  iat: z.number().refine((issuedAt) => issuedAt <= Date.now() / 1000 + CLOCK_TOLERANCE),
});

export type IdTokenClaims = z.infer<typeof idTokenClaims>;

export interface ProviderAnswer {
  readonly claims: IdTokenClaims;
  /** For asking the provider again; undefined if it issued none. */
  readonly refreshToken: string | undefined;
}

async function connect(oidc: OidcSettings) {
  const provider = await discoverProvider(oidc);
  const client: Client = { client_id: oidc.clientId, [clockTolerance]: CLOCK_TOLERANCE };
  const authentication = clientAuthentication(provider, oidc);
  return { provider, client, authentication, options: requestOptions(oidc) };
}

type Connection = Awaited<ReturnType<typeof connect>>;

/** @param callback the parameters of the browser's return, whose `state` was checked. @throws as `discoverProvider` */
export async function exchangeCode(
  callback: URLSearchParams,
  pending: PendingSignIn,
  oidc: OidcSettings,
  redirectUri: string,
): Promise<ProviderAnswer> {
  const connection = await connect(oidc);
  const { provider, client, authentication, options } = connection;
  const response = await authorizationCodeGrantRequest(
    provider,
    client,
    authentication,
    // `finishUpstream` has checked the state, against the browser too.
    validateAuthResponse(provider, client, callback, skipStateCheck),
    redirectUri,
    pending.codeVerifier,
    options,
  );
  const tokens = await processAuthorizationCodeResponse(provider, client, response, {
    expectedNonce: pending.nonce,
    requireIdToken: true,
  });
  const claims = await trustedClaims(tokens, response, connection, oidc);
  return { claims, refreshToken: tokens.refresh_token };
}

/**
 * The current claims of somebody who signed in before. The provider must answer with an ID token.
 * @param onReplaced receives a new refresh token before the answer is checked: the old one may already be invalid
 * @throws as `discoverProvider`
 */
export async function exchangeRefreshToken(
  refreshToken: string,
  oidc: OidcSettings,
  onReplaced: (refreshToken: string) => void,
): Promise<IdTokenClaims> {
  const connection = await connect(oidc);
  const { provider, client, authentication, options } = connection;
  const response = await refreshTokenGrantRequest(provider, client, authentication, refreshToken, options);
  const tokens = await processRefreshTokenResponse(provider, client, response);
  if (tokens.refresh_token !== undefined) onReplaced(tokens.refresh_token);
  return await trustedClaims(tokens, response, connection, oidc);
}

async function trustedClaims(
  tokens: TokenEndpointResponse,
  response: Response,
  connection: Connection,
  oidc: OidcSettings,
): Promise<IdTokenClaims> {
  await validateApplicationLevelSignature(connection.provider, response, connection.options);
  const claims = idTokenClaims
    // A named authorized party must be us, even if we are the only audience (§3.1.3.7, 5).
    .extend({ azp: z.literal(oidc.clientId).optional() })
    .parse(getValidatedIdTokenClaims(tokens));
  return await withUserInfo(claims, tokens.access_token, connection, oidc);
}

/**
 * Sends the secret in the form body if the provider accepts that: Basic requires form encoding (RFC 6749 §2.3.1), which
 * not every provider decodes. The default is Basic (RFC 8414 §2).
 */
function clientAuthentication(provider: OpenIdProvider, { clientSecret }: OidcSettings): ClientAuth {
  const methods = provider.token_endpoint_auth_methods_supported;
  const takesForm = methods.includes("client_secret_post");
  return takesForm ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret);
}

/**
 * Adds claims that the ID token leaves to UserInfo (OpenID Connect Core §5.3, §5.4): Okta's, for example, lacks
 * `email_verified`. An address is used only with the verification from the same source.
 */
async function withUserInfo(
  claims: IdTokenClaims,
  accessToken: string,
  { provider, client, options }: Connection,
  oidc: OidcSettings,
): Promise<IdTokenClaims> {
  const lacksEmail = oidc.scopes.includes("email") && claims.email_verified === undefined;
  const lacksGroups = claims[oidc.groupsClaim] === undefined;
  if (provider.userinfo_endpoint === undefined || !(lacksEmail || lacksGroups)) return claims;
  const response = await userInfoRequest(provider, client, accessToken, options);
  const more = await processUserInfoResponse(provider, client, claims.sub, response);
  const email =
    lacksEmail && more.email !== undefined ? { email: more.email, email_verified: more.email_verified } : {};
  const groups = lacksGroups ? { [oidc.groupsClaim]: more[oidc.groupsClaim] } : {};
  return { ...claims, ...email, ...groups };
}
