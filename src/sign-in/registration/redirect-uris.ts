/**
 * Decides where an authorization code may be sent. Anyone may register a client, so its own list of redirect URIs
 * proves nothing: the operator's allow list decides, at registration and again at each sign-in (RFC 9700 §4.1). That
 * also keeps this server from being an open redirector, since errors go to the same address as codes (RFC 9700
 * §4.11.2). No I/O.
 */
import { isLoopbackHost, type RedirectRule } from "../../settings/index.ts";

/** Visible ASCII without characters that parsers reinterpret: browsers read a backslash as a slash. */
const PLAIN_URI = /^[!-[\]-~]+$/;
/** One path segment that no parser decodes, splits or resolves. */
const PLAIN_SEGMENT = /^[A-Za-z0-9_-]+$/;

export function isAllowedRedirectUri(uri: string, rules: readonly RedirectRule[]): boolean {
  const url = PLAIN_URI.test(uri) ? URL.parse(uri) : null;
  if (url === null || url.username !== "" || url.password !== "" || uri.includes("#")) return false;
  return rules.some((rule) => matches(rule, uri, url));
}

const MAXIMUM_LISTABLE_LENGTH = 200;

/**
 * A refused web address, as the operator could add it to the list: without its query, which may contain anything.
 * `undefined` for an address that cannot be listed, or that is too long to read.
 */
export function toListableUri(uri: string): string | undefined {
  const url = PLAIN_URI.test(uri) ? URL.parse(uri) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return undefined;
  const address = url.origin + url.pathname;
  return address.length <= MAXIMUM_LISTABLE_LENGTH ? address : undefined;
}

function matches(rule: RedirectRule, uri: string, url: URL): boolean {
  switch (rule.kind) {
    case "loopback":
      return url.protocol === "http:" && isLoopbackHost(url.hostname);
    case "host":
      return url.protocol === "https:" && url.host === rule.host;
    case "exact":
      return uri === rule.uri;
    case "segment":
      return uri.startsWith(rule.prefix) && PLAIN_SEGMENT.test(uri.slice(rule.prefix.length));
  }
}
