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
  const url = parsePlain(uri);
  return url !== null && !uri.includes("#") && rules.some((rule) => matches(rule, uri, url));
}

/** Null for a URI that parsers could read differently, or with a user or password. */
function parsePlain(uri: string): URL | null {
  const url = PLAIN_URI.test(uri) ? URL.parse(uri) : null;
  return url?.username === "" && url.password === "" ? url : null;
}

const MAXIMUM_LISTABLE_LENGTH = 200;

/** A refused address as the operator could list it, without query; `undefined` if it cannot be listed or is too long. */
export function toListableUri(uri: string): string | undefined {
  const url = parsePlain(uri);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
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
