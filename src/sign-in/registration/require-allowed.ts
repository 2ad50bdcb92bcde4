/**
 * Applies the operator's allow list of redirect URIs to requests: which web pages may register a client, and where a
 * sign-in may lead. Apps and servers send no `Origin`, and may register from anywhere. A web page registers only if it
 * is an MCP client itself: at an origin on the list, or on the person's own machine (like the MCP inspector). Any other
 * page could make its visitors' browsers fill the store, each from its own address.
 */
import { isLoopbackHost, type RedirectRule, readRegistrationSettings } from "../../settings/index.ts";
import { RequestRefused } from "../failure.ts";
import { logCallbackRefused } from "../sign-in-log.ts";
import { isAllowedRedirectUri, toListableUri } from "./redirect-uris.ts";

/** @throws RequestRefused for a page of any other origin, including preflights, without CORS headers */
export function requireRegisteringOrigin(request: Request, env: Env, publicUrl: string): void {
  const origin = request.headers.get("Origin");
  if (origin === null || origin === publicUrl) return;
  if (mayRegister(origin, readRegistrationSettings(env).redirects)) return;
  throw new RequestRefused({
    status: 403,
    code: "invalid_request",
    title: "This page may not register an app",
    message: "The request was sent by a web page to which this server sends no access.",
    solution:
      "Connect with an MCP client. For a client that is a web page, the operator adds its callback to ALLOWED_REDIRECT_HOSTS.",
  });
}

function mayRegister(origin: string, rules: readonly RedirectRule[]): boolean {
  const page = URL.parse(origin);
  if (page === null || page.origin !== origin) return false;
  if (isLoopbackHost(page.hostname)) return true;
  return rules.some((rule) => originOf(rule) === origin);
}

function originOf(rule: RedirectRule): string | undefined {
  switch (rule.kind) {
    case "loopback":
      return undefined;
    case "host":
      return `https://${rule.host}`;
    case "exact":
      return URL.parse(rule.uri)?.origin;
    case "segment":
      return URL.parse(rule.prefix)?.origin;
  }
}

/** The client gets no error: its address is the problem. @throws RequestRefused for a redirect URI not on the list */
export function requireAllowedRedirect(request: Request, rules: readonly RedirectRule[]): void {
  const [uri, ...further] = new URL(request.url).searchParams.getAll("redirect_uri");
  if (uri !== undefined && further.length === 0 && isAllowedRedirectUri(uri, rules)) return;
  const callback = uri !== undefined && further.length === 0 ? toListableUri(uri) : undefined;
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
