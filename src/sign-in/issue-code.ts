/** Issues the authorization code (RFC 6749 §4.1.2), the last step of every way to sign in. */
import type { AuthRequest, OAuthHelpers } from "@cloudflare/workers-oauth-provider";
import { SCOPES, type Scope } from "../settings/index.ts";
import type { TokenProps } from "./caller.ts";
import { PAGE_CLIENT_ID } from "./page/page-client.ts";

/** Grants those chosen scopes that this person may have. @returns the client's address, with the code */
export async function issueCode(
  oauth: OAuthHelpers,
  request: AuthRequest,
  props: TokenProps,
  withData: boolean,
  allowed: readonly Scope[],
): Promise<string> {
  const scope = SCOPES.filter((each) => allowed.includes(each) && (withData || each !== "n8n:data"));
  const { userId, via } = props;
  const { redirectTo } = await oauth.completeAuthorization({
    request,
    userId,
    metadata: { via },
    scope,
    props,
    // On the page one user may have several sessions: with a passphrase everybody is the same user.
    revokeExistingGrants: request.clientId !== PAGE_CLIENT_ID,
  });
  return redirectTo;
}
