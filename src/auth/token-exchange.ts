/**
 * What happens before a token is issued, for a code or for a refresh token: whether the grant still stands is
 * looked at anew, and the exchange becomes a line of the audit.
 */

import { waitUntil } from "cloudflare:workers";
import {
  OAuthError,
  type OAuthHelpers,
  type TokenExchangeCallbackOptions,
} from "@cloudflare/workers-oauth-provider";
import { type TokenProps, tokenProps } from "./caller.ts";
import { isOfCurrentPassphrase } from "./passphrase-fingerprint.ts";
import { isRevoked } from "./revoked-grants.ts";
import { logSignIn } from "./sign-in-log.ts";

type Exchange = TokenExchangeCallbackOptions<Env>;

/**
 * Refuses a grant that was revoked, and one whose passphrase was changed. The library then deletes it.
 * @throws OAuthError `invalid_grant` (RFC 6749 §5.2)
 */
export async function requireStandingGrant(exchange: Exchange): Promise<void> {
  const { grantId, userId, clientId } = exchange;
  const { data: props } = tokenProps.safeParse(exchange.props);
  // What cannot be read is refused by who asks the lists next.
  if (props === undefined) return;
  const reason = await findReason(exchange, props);
  if (reason === undefined) return;
  logSignIn({
    event: "sign_in",
    outcome: "refresh_refused",
    via: props.via,
    userId,
    clientId,
    grantId,
    reason,
  });
  throw new OAuthError("invalid_grant", { description: "This sign-in has ended. Connect again." });
}

async function findReason({ env, grantId }: Exchange, props: TokenProps): Promise<string | undefined> {
  if (await isRevoked(env, grantId)) return "revoked";
  return (await isOfCurrentPassphrase(props, env)) ? undefined : "passphrase_changed";
}

/** The client's name is looked up after the answer: each token brings it, so that calls need not. */
export function logTokenExchange(exchange: Exchange, oauth: OAuthHelpers): void {
  const { clientId, userId, grantId, grantType } = exchange;
  const { via } = tokenProps.parse(exchange.props);
  const outcome = grantType === "refresh_token" ? "token_refreshed" : "token_issued";
  const told = { event: "sign_in", outcome, via, userId, clientId, grantId } as const;
  const tell = async (): Promise<void> => {
    const clientName = await findClientName(oauth, clientId);
    logSignIn(clientName === undefined ? told : { ...told, clientName });
  };
  waitUntil(tell());
}

/** A metadata document as client id is an address, which names its client itself; it is not fetched for this. */
async function findClientName(oauth: OAuthHelpers, clientId: string): Promise<string | undefined> {
  if (clientId.startsWith("https://")) return undefined;
  try {
    return (await oauth.lookupClient(clientId))?.clientName;
  } catch {
    // The line matters more than the name in it.
    return undefined;
  }
}
