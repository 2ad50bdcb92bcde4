/** `GET /authorize` (RFC 6749 §3.1): answers with the consent page, or sends the client an error if that is safe. */
import {
  type AuthRequest,
  authorizationErrorRedirect,
  type OAuthHelpers,
} from "@cloudflare/workers-oauth-provider";
import { consentPage } from "../pages/consent.tsx";
import { PAGE_SIGN_IN_SCRIPT, pageSignInPage } from "../pages/page-sign-in.tsx";
import { pageResponse } from "../pages/respond.ts";
import {
  isCallbackOfN8n,
  readAccessRules,
  readErrorText,
  readRegistrationSettings,
  type Scope,
} from "../settings/index.ts";
import { RequestRefused } from "./failure.ts";
import { instanceNames } from "./instance-names.ts";
import { type OAuthRequest, oauthOf } from "./oauth-roles.ts";
import { type KeyFaults, keyFieldsOf } from "./own-keys.ts";
import { PAGE_CALLBACK_PATH, PAGE_CLIENT_ID } from "./page/page-client.ts";
import { requireAllowedRedirect } from "./registration/require-allowed.ts";
import { requireWayIn, toSignInMethods } from "./sign-in-setting.ts";

/** No client needs a longer one; the request is stored until the user has answered. */
const MAXIMUM_URL_LENGTH = 8 * 1024;

/** At first nothing is chosen: the person chooses, whatever scopes the app requests. */
export interface ConsentView {
  readonly chosen?: Scope | undefined;
  readonly again?:
    | { readonly reason: "no_choice" }
    | { readonly reason: "n8n_key"; readonly faults: KeyFaults }
    | { readonly reason: "wrong_passphrase"; readonly triesLeft: number };
}

const STATUS = { first: 200, no_choice: 400, n8n_key: 400, wrong_passphrase: 403 } as const;

export async function showConsent({ request, env, roles }: OAuthRequest): Promise<Response> {
  requireWayIn(env);
  requireShortUrl(request);
  if (!isOfPage(request, roles.publicUrl))
    requireAllowedRedirect(request, readRegistrationSettings(env).redirects);
  const oauth = oauthOf({ env, roles });
  const authRequest = await oauth.parseAuthRequest(request);
  if (authRequest.codeChallenge === undefined) return refuseWithoutPkce(authRequest);
  return presentConsent(oauth, authRequest, env, {});
}

/** Binds the form to this browser by a cookie. @param headers of the previous form, which is spent now */
export async function presentConsent(
  oauth: OAuthHelpers,
  authRequest: AuthRequest,
  env: Env,
  view: ConsentView,
  headers = new Headers(),
): Promise<Response> {
  const { clientName, redirectHost, redirectIsLoopback } = await oauth.describeConsent(authRequest);
  const consent = await oauth.beginConsent(authRequest);
  const hasRules = readAccessRules(env) !== undefined;
  for (const cookie of consent.headers.getSetCookie()) headers.append("Set-Cookie", cookie);
  if (authRequest.clientId === PAGE_CLIENT_ID) return presentSignIn(consent.handle, env, view, headers);
  const page = consentPage({
    clientName,
    redirectHost,
    redirectIsLoopback,
    redirectIsN8n: isCallbackOfN8n(authRequest.redirectUri),
    instances: hasRules && instanceNames(env).length > 1 ? [] : instanceNames(env),
    hasRules,
    handle: consent.handle,
    errorTextForAll: readErrorText(env) === "read",
    signInMethods: toSignInMethods(requireWayIn(env)),
    keys: keyFieldsOf(env, faultsIn(view)),
    ...view,
  });
  return pageResponse(page, STATUS[view.again?.reason ?? "first"], headers);
}

const faultsIn = ({ again }: ConsentView): KeyFaults => (again?.reason === "n8n_key" ? again.faults : {});

/** Sign-in to the page gives no app access, so there is nothing to choose or to decline. */
function presentSignIn(handle: string, env: Env, view: ConsentView, headers: Headers): Promise<Response> {
  const { again } = view;
  const triesLeft = again?.reason === "wrong_passphrase" ? again.triesLeft : undefined;
  const signInMethods = toSignInMethods(requireWayIn(env));
  const page = pageSignInPage({ handle, signInMethods, triesLeft, keys: keyFieldsOf(env, faultsIn(view)) });
  return pageResponse(page, STATUS[again?.reason ?? "first"], headers, { script: PAGE_SIGN_IN_SCRIPT });
}

const isOfPage = (request: Request, publicUrl: string): boolean => {
  const { searchParams } = new URL(request.url);
  const isOnly = (name: string, value: string) => searchParams.getAll(name).join("\n") === value;
  return isOnly("client_id", PAGE_CLIENT_ID) && isOnly("redirect_uri", publicUrl + PAGE_CALLBACK_PATH);
};

function requireShortUrl(request: Request): void {
  if (request.url.length <= MAXIMUM_URL_LENGTH) return;
  throw new RequestRefused({
    status: 414,
    code: "invalid_request",
    title: "This sign-in cannot continue",
    message: "The app sent a sign-in request that is too long.",
    solution: "Go back to your app and connect again. If that does not help, report it to the app's makers.",
  });
}

/** OAuth 2.1 requires PKCE of every client; the library requires it only of public ones. */
function refuseWithoutPkce(authRequest: AuthRequest): Response {
  const description = "PKCE is required: send code_challenge with code_challenge_method=S256.";
  return Response.redirect(authorizationErrorRedirect(authRequest, "invalid_request", description), 302);
}
