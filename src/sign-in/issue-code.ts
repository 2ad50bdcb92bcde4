/** The authorization code (RFC 6749 §4.1.2), which every way to sign in ends with. */
import type { AuthRequest, OAuthHelpers } from "@cloudflare/workers-oauth-provider";
import { SCOPES, type Scope } from "../settings/index.ts";
import type { TokenProps } from "./caller.ts";

/**
 * Issues the code, with the scopes that were chosen and that this person may have.
 * @returns the address at which the client takes it
 */
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
  });
  return redirectTo;
}
