/** The allow list of redirect URIs, applied to a sign-in before anything else is looked at. */
import type { RedirectRule } from "../../settings/index.ts";
import { RequestRefused } from "../failure.ts";
import { logCallbackRefused } from "../operator-log.ts";
import { isAllowedRedirectUri, toTellableUri } from "./redirect-uris.ts";

/**
 * Refuses an authorization request before anything of it is believed. It is not sent back to the
 * client: the address it would be sent to is what is wrong.
 * @throws RequestRefused when the request names a redirect URI that is not on the list.
 */
export function requireAllowedRedirect(request: Request, rules: readonly RedirectRule[]): void {
  const [uri, ...further] = new URL(request.url).searchParams.getAll("redirect_uri");
  if (uri !== undefined && further.length === 0 && isAllowedRedirectUri(uri, rules)) return;
  const callback = uri !== undefined && further.length === 0 ? toTellableUri(uri) : undefined;
  logCallbackRefused(callback);
  throw new RequestRefused({
    status: 400,
    code: "invalid_request",
    title: "This app may not sign in here",
    message:
      callback === undefined
        ? "It asks for access to be sent to an address that this server does not know."
        : `It asks for access to be sent to ${callback}, which is not on the list of this server.`,
    solution:
      "Stop here if you did not start this yourself. If you did, ask whoever runs this server to add the app's callback to ALLOWED_REDIRECT_HOSTS.",
  });
}
