/** Issues the authorization code (RFC 6749 §4.1.2), the last step of every way to sign in. */
import type { AuthRequest, OAuthHelpers } from "@cloudflare/workers-oauth-provider";
import { SCOPES, type Scope } from "../settings/index.ts";
import { OWNER, type TokenProps } from "./caller.ts";
import { PAGE_CLIENT_ID } from "./page/page-client.ts";
import { isDocumentUrl } from "./registration/metadata-document.ts";

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
  const { clientId } = request;
  const { redirectTo } = await oauth.completeAuthorization({
    request,
    userId,
    metadata: { via },
    scope,
    props,
    // The library ends the user's other sign-ins with the same client. But the page, and an app that is described by a
    // document, is the same client on every computer, and with the passphrase alone everybody is the same user.
    revokeExistingGrants: userId !== OWNER.userId && clientId !== PAGE_CLIENT_ID && !isDocumentUrl(clientId),
  });
  return redirectTo;
}
