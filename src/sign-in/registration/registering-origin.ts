/**
 * Which web pages may register a client. Apps and servers name no page, and register from anywhere. Of web pages, one
 * has to that is an MCP client itself: it runs where access may be sent to, or on the person's own machine (as the
 * MCP inspector does). Any other could only make its visitors' browsers fill the store, from an address each. No I/O.
 */
import { isLoopbackHost, type RedirectRule, readRegistrationSettings } from "../../settings/index.ts";
import { RequestRefused } from "../failure.ts";

/** @throws RequestRefused for a page of any other origin, preflights included; no CORS header comes with it. */
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

/** Whether a client at this origin could be sent a code. */
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
