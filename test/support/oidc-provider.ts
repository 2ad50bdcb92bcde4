/**
 * A real OpenID provider on loopback: `oidc-provider` with a login page of one field. Naming an
 * account signs in to it. PKCE is required. Everything is kept in memory.
 *
 * Its accounts can be changed while it runs:
 *
 *     const provider = await startOidcProvider({ accounts: { ada: { sub: "1", email: "ada@example.com" } } });
 *     // Worker: OIDC_ISSUER=provider.issuer, OIDC_CLIENT_ID=provider.clientId, …
 *     // Browser: fill `input[name=login]` with "ada", press `button[name=decision][value=login]`.
 *     provider.accounts.ada = { sub: "1", email: "ada@example.com", email_verified: false };
 *     await provider.stop();
 */
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import Provider, { type Account, type ProviderContext } from "oidc-provider";
import { listenOnLoopback, readText, stopServer } from "./loopback-server.ts";

/** Login name → claims. */
export type Accounts = Record<string, { readonly sub: string; readonly [claim: string]: unknown }>;

export interface OidcProviderOptions {
  readonly accounts: Accounts;
  /** `<origin of the Worker>/callback`. Take a free port for the Worker first. */
  readonly redirectUris: readonly string[];
  /** True to return claims only by UserInfo, as specified; false to put them into the ID token, as most providers do. */
  readonly claimsInUserInfoOnly?: boolean;
  /** Its public origin, if not its own port; a proxy in front of it sets `X-Forwarded-…`. */
  readonly issuer?: string;
}

export interface RunningOidcProvider {
  readonly issuer: string;
  /** The origin with its own port. */
  readonly place: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** May be changed for the next sign-in. */
  readonly accounts: Accounts;
  stop(): Promise<void>;
}

const CLIENT_ID = "n8n-observer";
const CLIENT_SECRET = "client-secret-of-the-tests-0123456789";

/** @throws Error when no port can be opened */
export async function startOidcProvider(options: OidcProviderOptions): Promise<RunningOidcProvider> {
  const server = createServer();
  const place = await listenOnLoopback(server);
  const issuer = options.issuer ?? place;
  const accounts: Accounts = { ...options.accounts };
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const provider = new Provider(issuer, configurationOf(options, accounts, privateKey));
  provider.proxy = options.issuer !== undefined;
  provider.registerGrantType(TOKEN_EXCHANGE, exchangeForAssertion(provider, issuer, privateKey), [
    ...["audience", "resource", "scope", "subject_token", "subject_token_type", "requested_token_type"],
    ...["client_there", "claims", "header"],
  ]);
  const answerProvider = provider.callback();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const isLogin = request.url?.startsWith("/login/") ?? false;
    const answered = isLogin
      ? answerLogin(provider, accounts, request, response)
      : answerProvider(request, response);
    answered.catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  return {
    issuer,
    place,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    accounts,
    stop: () => stopServer(server),
  };
}

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const encode = (part: unknown): string =>
  Buffer.from(JSON.stringify(part, (_name, value: unknown) => value ?? undefined)).toString("base64url");

/**
 * Exchanges an ID token for an assertion about its subject (ID-JAG, draft-ietf-oauth-identity-assertion-authz-grant §4.3).
 * The request carries what an administrator would set up: the app's client id at the other server (`client_there`), and
 * `claims` and `header`, which override those of the assertion; `null` leaves a member out.
 */
function exchangeForAssertion(provider: Provider, issuer: string, key: KeyObject) {
  return async (context: ProviderContext & { body?: unknown }): Promise<void> => {
    const { client, params } = context.oidc;
    const { payload } = await provider.IdToken.validate(params.subject_token ?? "", client);
    const now = Math.floor(Date.now() / 1000);
    const header = {
      alg: "RS256",
      kid: "signing",
      typ: "oauth-id-jag+jwt",
      ...JSON.parse(params.header ?? "{}"),
    };
    const { sub, email, email_verified, groups } = payload;
    const claims = {
      ...{ iss: issuer, sub, email, email_verified, groups, jti: randomUUID(), iat: now, exp: now + 300 },
      ...{ aud: params.audience, resource: params.resource, client_id: params.client_there },
      ...{ scope: params.scope, ...JSON.parse(params.claims ?? "{}") },
    };
    const signed = `${encode(header)}.${encode(claims)}`;
    const signature = sign("RSA-SHA256", Buffer.from(signed), key).toString("base64url");
    context.body = {
      access_token: `${signed}.${signature}`,
      issued_token_type: "urn:ietf:params:oauth:token-type:id-jag",
      token_type: "N_A",
      expires_in: 300,
    };
  };
}

function configurationOf(
  options: OidcProviderOptions,
  accounts: Accounts,
  privateKey: KeyObject,
): Record<string, unknown> {
  const findAccount = (_context: unknown, sub: string): Account | undefined => {
    const claims = Object.values(accounts).find((account) => account.sub === sub);
    return claims && { accountId: sub, claims: () => claims };
  };
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: options.redirectUris,
        grant_types: ["authorization_code", "refresh_token", TOKEN_EXCHANGE],
        response_types: ["code"],
      },
    ],
    claims: {
      openid: ["sub", "tid", "oid", "hd"],
      email: ["email", "email_verified"],
      profile: ["name"],
      groups: ["groups"],
    },
    conformIdTokenClaims: options.claimsInUserInfoOnly ?? false,
    cookies: { keys: ["cookie-key-of-the-tests"] },
    features: { devInteractions: { enabled: false } },
    findAccount,
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/login/${uid}` },
    // Also without the scope `offline_access`, which would need a consent page.
    issueRefreshToken: async () => true,
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "signing" }] },
    loadExistingGrant: grantRequestedScope,
    pkce: { required: () => true },
    ttl: {
      AccessToken: 300,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 24 * 3600,
      RefreshToken: 600,
      Interaction: 600,
      Session: 600,
    },
  };
}

/** Grants without asking, as this server has a consent page of its own. */
async function grantRequestedScope({ oidc }: ProviderContext): Promise<unknown> {
  const grant = new oidc.provider.Grant({
    clientId: oidc.client.clientId,
    accountId: oidc.session.accountId,
  });
  grant.addOIDCScope(oidc.params.scope ?? "openid");
  await grant.save();
  return grant;
}

const LOGIN_PAGE = `<!doctype html><html lang="en"><title>Identity provider of the tests</title>
<h1>Identity provider of the tests</h1>
<form method="post">
  <label>Account <input name="login" autofocus></label>
  <button name="decision" value="login">Sign in</button>
  <button name="decision" value="cancel">Cancel</button>
</form>`;

async function answerLogin(
  provider: Provider,
  accounts: Accounts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "POST") {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(LOGIN_PAGE);
    return;
  }
  const form = new URLSearchParams(await readText(request));
  const account = accounts[form.get("login") ?? ""];
  const result =
    form.get("decision") === "cancel" || account === undefined
      ? { error: "access_denied", error_description: "The user did not sign in" }
      : { login: { accountId: account.sub } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}
