/** Issues the authorization code (RFC 6749 §4.1.2), the last step of every way to sign in. */
import type { AuthRequest, OAuthHelpers } from "@cloudflare/workers-oauth-provider";
import { SCOPES, type Scope } from "../settings/index.ts";
import type { TokenProps } from "./caller.ts";
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
    // The page, and an app that is described by a document, is the same client on each computer. With a passphrase also
    // everybody is the same user: a sign-in would end those of other computers and people.
    revokeExistingGrants: clientId !== PAGE_CLIENT_ID && !isDocumentUrl(clientId),
  });
  return redirectTo;
}
