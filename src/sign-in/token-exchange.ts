/**
 * Runs before a token is issued for a code or a refresh token: checks that the grant is still valid and the person
 * still has access, and logs the exchange. A refusal with `invalid_grant` revokes the grant: a person who was removed
 * from the lists must sign in again even after being re-added.
 */
import { waitUntil } from "cloudflare:workers";
import {
  GrantType,
  OAuthError,
  type OAuthHelpers,
  type TokenExchangeCallbackOptions,
  type TokenExchangeCallbackResult,
} from "@cloudflare/workers-oauth-provider";
import { readOidcSettings } from "../settings/index.ts";
import { type Admission, admitCaller } from "./admit-caller.ts";
import { type TokenProps, tokenProps } from "./caller.ts";
import { askAgain } from "./oidc/ask-again.ts";
import { PAGE_CLIENT_ID, PAGE_SESSION_SECONDS } from "./page/page-client.ts";
import { isOfCurrentPassphrase } from "./passphrase-lock.ts";
import { ACCESS_TOKEN_SECONDS } from "./registration/client-retention.ts";
import { logSignIn } from "./sign-in-log.ts";
import { hasEnded } from "./tokens/grant-ledger.ts";

type Exchange = TokenExchangeCallbackOptions<Env>;

/** Called by the library before it issues a token. @throws OAuthError `invalid_grant` (RFC 6749 §5.2) */
export async function checkTokenExchange(
  exchange: Exchange,
  oauth: OAuthHelpers,
): Promise<TokenExchangeCallbackResult> {
  const known = tokenProps.safeParse(exchange.props).data;
  const now = await refreshPerson(exchange, known);
  const props = now === "ended" ? undefined : now;
  const admission = props === undefined ? undefined : admitCaller(props, exchange.env);
  const reason = now === "ended" ? "ended_at_provider" : await findReason(exchange, props, admission);
  if (props === undefined || admission === undefined || reason !== undefined)
    return refuse(exchange, known, reason);
  logTokenExchange(exchange, props, oauth);
  const scopes: readonly string[] = admission.scopes;
  const accessTokenScope = exchange.requestedScope.filter((scope) => scopes.includes(scope));
  const oidc = props.via === "oidc" ? readOidcSettings(exchange.env) : undefined;
  const accessTokenProps = { ...props, upstream: undefined };
  if (exchange.clientId === PAGE_CLIENT_ID) {
    // The page uses no refresh token, so it signs in again at the provider as often as apps refresh. Somebody with an n8n
    // key would have to type it again each time, and n8n decides what that key sees: their session lasts longer.
    const longest =
      oidc !== undefined && props.n8nKeys === undefined ? ACCESS_TOKEN_SECONDS : PAGE_SESSION_SECONDS;
    const seconds = Math.min(longest, oidc?.sessionSeconds ?? longest);
    return { accessTokenScope, accessTokenTTL: seconds, refreshTokenTTL: seconds, accessTokenProps };
  }
  if (oidc === undefined) return { accessTokenScope };
  return { accessTokenScope, refreshTokenTTL: oidc.sessionSeconds, newProps: props, accessTokenProps };
}

/** Asks the provider about the person again, if this is a refresh. @throws OAuthError if no token can be issued yet */
async function refreshPerson(
  { env, clientId, userId, grantId, grantType }: Exchange,
  props: TokenProps | undefined,
): Promise<TokenProps | "ended" | undefined> {
  if (props?.via !== "oidc" || grantType !== GrantType.REFRESH_TOKEN) return props;
  const now = await askAgain(props, env, { clientId, userId, grantId });
  if (now === "unavailable") throw postponed("The identity provider does not answer. Try again later.", 60);
  if (now === "asked_meanwhile") throw postponed("Another request refreshes this sign-in. Try again.", 5);
  return now;
}

function postponed(description: string, seconds: number): OAuthError {
  const headers = { "Retry-After": String(seconds) };
  return new OAuthError("temporarily_unavailable", { description, statusCode: 503, headers });
}

/** Why the grant has ended; `undefined` while it is valid. A revocation takes precedence. */
async function findReason(
  { env, userId, grantId }: Exchange,
  props: TokenProps | undefined,
  admission: Admission | undefined,
): Promise<string | undefined> {
  if (await hasEnded(env, { userId, grantId })) return "revoked";
  if (props !== undefined && !(await isOfCurrentPassphrase(props, env))) return "passphrase_changed";
  return admission === undefined ? "not_allowed_any_more" : undefined;
}

function refuse(
  { grantType, userId, clientId, grantId }: Exchange,
  props: TokenProps | undefined,
  reason: string | undefined,
): never {
  const outcome = grantType === GrantType.REFRESH_TOKEN ? "refresh_refused" : "refused";
  logSignIn({ outcome, via: props?.via ?? "oidc", userId, clientId, grantId, reason });
  throw new OAuthError("invalid_grant", { description: "This sign-in has ended. Connect again." });
}

/** Looks up the client's name after the answer. It is logged with each token, so that calls need not look it up. */
function logTokenExchange(
  { clientId, userId, grantId, grantType }: Exchange,
  { via }: TokenProps,
  oauth: OAuthHelpers,
): void {
  const outcome = grantType === GrantType.REFRESH_TOKEN ? "token_refreshed" : "token_issued";
  const logged = findClientName(oauth, clientId).then((clientName) =>
    logSignIn({ outcome, via, userId, clientId, grantId, clientName }),
  );
  waitUntil(logged);
}

/** An id that is a document's address says enough; the document is not fetched for its name. */
async function findClientName(oauth: OAuthHelpers, clientId: string): Promise<string | undefined> {
  if (clientId.startsWith("https://")) return undefined;
  try {
    return (await oauth.lookupClient(clientId))?.clientName;
  } catch {
    return undefined;
  }
}
