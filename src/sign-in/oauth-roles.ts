/**
 * The two OAuth roles of this Worker: the authorization server (RFC 6749, RFC 8414), which registers clients and issues
 * tokens, and the resource server (RFC 9728), which protects `/mcp`.
 *
 * Both are bound to one public URL, since the issuer and the resource are part of every token. The URL is known only
 * when a request arrives, so the roles are created on first use and cached for a few URLs.
 */
import {
  insufficientScope,
  OAuthAuthorizationServer,
  type OAuthHelpers,
  type OAuthResourceContext,
  OAuthResourceServer,
  type OAuthResourceTokenValidation,
  type TokenExchangeCallbackOptions,
} from "@cloudflare/workers-oauth-provider";
import { setNewest } from "../platform/bounded-collections.ts";
import { readSignInSettings, SCOPES } from "../settings/index.ts";
import { admitCaller } from "./admit-caller.ts";
import { type CallerProps, tokenProps } from "./caller.ts";
import { managedAuthorization } from "./oidc/managed-authorization.ts";
import { PAGE_CLIENT_ID } from "./page/page-client.ts";
import { isOfCurrentPassphrase } from "./passphrase-lock.ts";
import { pinPublicUrl } from "./public-origin.ts";
import { ACCESS_TOKEN_SECONDS, CLIENT_SECONDS, GRANT_SECONDS } from "./registration/client-retention.ts";
import { admitService, findServiceToken } from "./service-token.ts";
import { logOAuthError } from "./sign-in-log.ts";
import { checkTokenExchange } from "./token-exchange.ts";
import { hasEnded } from "./tokens/grant-ledger.ts";
import { grantOf } from "./tokens/presented-token.ts";

/** `ctx.props` is the caller, `ctx.auth` describes the validated token. */
export type ProtectedHandler = (
  request: Request,
  env: Env,
  ctx: OAuthResourceContext<CallerProps>,
) => Promise<Response>;

export interface OAuthRoles {
  readonly publicUrl: string;
  readonly authorizationServer: OAuthAuthorizationServer<Env>;
  readonly resourceServer: OAuthResourceServer<Env, CallerProps>;
  /** Validates the token of a session; null unless it is valid and was issued to the page. */
  readonly validatePageToken: (token: string, env: Env) => Promise<VerifiedToken | null>;
}

type VerifiedToken = OAuthResourceTokenValidation<CallerProps>;

/** A request at one of the OAuth routes, with the roles of its public URL. */
export interface OAuthRequest {
  readonly request: Request;
  readonly env: Env;
  readonly ctx: ExecutionContext;
  readonly roles: OAuthRoles;
}

export const oauthOf = ({ env, roles }: Pick<OAuthRequest, "env" | "roles">): OAuthHelpers =>
  roles.authorizationServer.getOAuthApi(env);

const REQUIRED_SCOPES = ["n8n:read"];

/** On loopback every port has its own URL; more than a few are never live at once. */
const MAXIMUM_REMEMBERED = 8;

/** Caches the roles of the latest public URLs. `isManaged`: they accept assertions of the organisation's provider. */
export function createRoleCache(
  handler: ProtectedHandler,
): (publicUrl: string, isManaged?: boolean) => OAuthRoles {
  const remembered = new Map<string, OAuthRoles>();
  return (publicUrl, isManaged = false) => {
    const key = `${publicUrl} ${isManaged}`;
    const roles = remembered.get(key) ?? createRoles(publicUrl, isManaged, handler);
    setNewest(remembered, key, roles, MAXIMUM_REMEMBERED);
    return roles;
  };
}

function createRoles(publicUrl: string, isManaged: boolean, handler: ProtectedHandler): OAuthRoles {
  const resource = `${publicUrl}/mcp`;
  const authorizationServer = createAuthorizationServer(publicUrl, resource, isManaged);
  const resourceServer = new OAuthResourceServer<Env, CallerProps>({
    resourceMetadata: { resource, authorization_servers: [publicUrl], resource_name: "n8n-observer" },
    requiredScopes: REQUIRED_SCOPES,
    validateToken: (env) => async (audience, token) => {
      const verified = await validateToken(authorizationServer, audience, token, env);
      // The token of a session is for the page alone.
      return verified?.clientId === PAGE_CLIENT_ID ? null : verified;
    },
    handler: {
      // The library only advertises the required scopes; a token without them is refused here (RFC 6750 §3.1).
      fetch: async (request, env, ctx) =>
        REQUIRED_SCOPES.every((scope) => ctx.auth.scope.includes(scope))
          ? await handler(request, env, ctx)
          : insufficientScope(ctx.auth, REQUIRED_SCOPES),
    },
  });
  const validatePageToken: OAuthRoles["validatePageToken"] = async (token, env) => {
    const verified = await validateToken(authorizationServer, resource, token, env);
    return verified?.clientId === PAGE_CLIENT_ID && verified.scope?.includes("n8n:read") ? verified : null;
  };
  return { publicUrl, authorizationServer, resourceServer, validatePageToken };
}

/**
 * The library supports only S256 for PKCE (RFC 7636 §4.2). Its own reader of client metadata documents is off:
 * `registration/document-clients.ts` replaces it and says why.
 */
function createAuthorizationServer(
  issuer: string,
  resource: string,
  isManaged: boolean,
): OAuthAuthorizationServer<Env> {
  const pin = (env: Env) => pinPublicUrl(env, issuer);
  const server: OAuthAuthorizationServer<Env> = new OAuthAuthorizationServer<Env>({
    issuer,
    resources: [resource],
    authorizeEndpoint: "/authorize",
    tokenEndpoint: "/token",
    clientRegistrationEndpoint: "/register",
    scopesSupported: [...SCOPES],
    clientRegistrationTTL: CLIENT_SECONDS,
    accessTokenTTL: ACCESS_TOKEN_SECONDS,
    refreshTokenTTL: GRANT_SECONDS,
    tokenExchangeCallback: (exchange: TokenExchangeCallbackOptions<Env>) =>
      checkTokenExchange(exchange, server.getOAuthApi(exchange.env)),
    onError: logOAuthError,
    ...(isManaged && { enterpriseManagedAuthorization: managedAuthorization(pin) }),
  });
  return server;
}

/** Checks a person's access on each request, so that no token outlives it. Service tokens need no look-up. */
async function validateToken(
  authorizationServer: OAuthAuthorizationServer<Env>,
  audience: string,
  token: string,
  env: Env,
): Promise<VerifiedToken | null> {
  const entry = await findServiceToken(token, readSignInSettings(env).serviceTokens);
  if (entry !== undefined) {
    const admitted = admitService(entry, env);
    if (admitted === undefined) return null;
    const { caller, scopes } = admitted;
    return { props: caller, audience, scope: [...scopes], userId: caller.userId, clientId: caller.userId };
  }
  const grant = grantOf(token);
  const [issued, ended] = await Promise.all([
    authorizationServer.validateToken<unknown>(audience, token, env),
    grant === undefined || hasEnded(env, grant),
  ]);
  const props = tokenProps.safeParse(issued?.props);
  if (issued === null || ended || !props.success) return null;
  const admission = admitCaller(props.data, env);
  if (admission === undefined || !(await isOfCurrentPassphrase(props.data, env))) return null;
  const scopes: readonly string[] = admission.scopes;
  const scope = (issued.scope ?? []).filter((each) => scopes.includes(each));
  return { ...issued, props: { ...admission.caller, ...(grant && { grantId: grant.grantId }) }, scope };
}
