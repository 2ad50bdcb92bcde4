/**
 * Recognizes what is in front of n8n and answers in its place: Cloudflare Access, a log-in page, or a proxy with basic
 * authentication. The answer's head suffices, and the error can name the fix. Pure.
 */
import { type ErrorCode, ObserverError } from "../platform/errors.ts";
import { isOfN8n } from "./refusal.ts";

/** The error for an answer that is not n8n's; undefined when n8n may have sent it. @param body its first part */
export function errorInFront(response: Response, url: string, body: string): ObserverError | undefined {
  const target = redirectTarget(response, url);
  if (target !== undefined) return redirectError(target, new URL(url));
  if (isAccess(response)) return accessError();
  if (response.status === 407 || isBasicChallenge(response)) return basicError();
  const isRefusal = response.status === 401 || response.status === 403;
  return isRefusal && !isRefusalOfN8n(response, body) ? refusedInFront(response.status) : undefined;
}

export const isRefusalOfN8n = (response: Response, body: string): boolean =>
  isJson(response) && isOfN8n(body);

export const isJson = ({ headers }: Response): boolean => /\bjson\b/i.test(headers.get("content-type") ?? "");

function redirectTarget({ status, headers }: Response, requestUrl: string): URL | null | undefined {
  if (status < 300 || status >= 400 || status === 304) return undefined;
  const location = headers.get("location");
  return location !== null && URL.canParse(location, requestUrl) ? new URL(location, requestUrl) : null;
}

function redirectError(target: URL | null, asked: URL): ObserverError {
  if (target !== null && isAccessLogin(target)) return accessError();
  if (target !== null && isLogin(target)) return logInError();
  const isOtherScheme = target?.host === asked.host && target.protocol !== asked.protocol;
  // The target is another system's text, and may contain anything.
  const whereTo =
    target === null ? "" : target.origin === asked.origin ? " to another path" : " to another address";
  return new ObserverError(
    "N8N_BAD_RESPONSE",
    `n8n's address answers with a redirect${whereTo}. It was not followed, so the API key went nowhere else.`,
    {
      field: "N8N_BASE_URL",
      solution: isOtherScheme
        ? `Set N8N_BASE_URL to the ${target.protocol.slice(0, -1)} address of n8n.`
        : "Set N8N_BASE_URL to the final address of n8n, without /api/v1, and check that its public API is switched on.",
    },
  );
}

/** https://developers.cloudflare.com/cloudflare-one/identity/service-tokens/ */
const isAccessLogin = ({ hostname, pathname }: URL): boolean =>
  hostname.endsWith(".cloudflareaccess.com") || pathname.startsWith("/cdn-cgi/access/");

function isAccess({ status, headers }: Response): boolean {
  const challenge = headers.get("www-authenticate") ?? "";
  return (status === 401 || status === 403) && /cloudflare[ -]access/i.test(challenge);
}

/** Paths of log-in pages (oauth2-proxy, Authelia, Authentik, Keycloak, Entra, n8n's own). */
const LOGIN_PATH =
  /\/(?:log-?in|sign-?in|oauth2?|authorize|auth|sso|saml2?|oidc|outpost\.goauthentik\.io|openid-connect)(?:[/.?]|$)/i;

const isLogin = ({ pathname, hostname }: URL): boolean =>
  LOGIN_PATH.test(pathname) || /^(?:login|auth|sso|accounts|idp)\./i.test(hostname);

const isBasicChallenge = ({ status, headers }: Response): boolean =>
  status === 401 && /^basic\b/i.test(headers.get("www-authenticate") ?? "");

/** An error that a header can solve. */
const headersError = (code: ErrorCode, message: string, solution: string, more = {}): ObserverError =>
  new ObserverError(code, message, {
    field: "N8N_HEADERS",
    ...more,
    solution: `${solution} See docs/private-network.md.`,
  });

const accessError = (): ObserverError =>
  headersError(
    "N8N_FORBIDDEN",
    "Cloudflare Access is in front of n8n and refused this server.",
    "Create a service token in Cloudflare Zero Trust, allow it in the Access application's policy with the action Service Auth, and put its two headers into N8N_HEADERS: CF-Access-Client-Id and CF-Access-Client-Secret.",
  );

const logInError = (): ObserverError =>
  headersError(
    "N8N_FORBIDDEN",
    "A log-in page is in front of n8n. The redirect to it was not followed, so the API key went nowhere else.",
    "Let the path of n8n's public API pass there, or put the header that it accepts in place of a log-in into N8N_HEADERS.",
  );

const basicError = (): ObserverError =>
  headersError(
    "N8N_UNAUTHORIZED",
    "A proxy in front of n8n asks for a user and a password.",
    "Put them into N8N_HEADERS as Authorization: Basic <base64 of user:password>.",
  );

const refusedInFront = (httpStatus: number): ObserverError =>
  headersError(
    "N8N_FORBIDDEN",
    `Something in front of n8n refused the request with HTTP ${httpStatus}; n8n itself refuses in another form.`,
    "See which rule of the firewall or proxy refuses this server. What it asks for goes into N8N_HEADERS.",
    { httpStatus },
  );
