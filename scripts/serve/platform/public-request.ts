/**
 * A request as Cloudflare would pass it on: with the URL that the client used, and the client's IP address in
 * `CF-Connecting-IP`. Behind a TLS proxy, requests arrive as plain http and from the proxy's address. Pure.
 *
 * Only the last entry of `X-Forwarded-For` is used: the proxy added it, while a client can forge the others. It is
 * trusted only if PUBLIC_URL is https, which means that there is a proxy. It only decides which registrations and
 * operator calls are counted together.
 */
import { urlParts } from "../../../src/platform/url-parts.ts";
import { readPublicUrl } from "../../../src/settings/index.ts";

/** The only header of Cloudflare's that the Worker trusts: nobody else may set it. */
const ADDRESS_HEADER = "CF-Connecting-IP";
/** Callers of this path are known by their tokens: copying a request for their address would cost a tenth of a call. */
const MCP_PATH = "/mcp";

export function toPublicRequest(request: Request, settings: object): Request {
  const publicUrl = findPublicUrl(settings, request.url);
  const isBehindProxy = publicUrl?.startsWith("https:") === true;
  const needsNoChange = !isBehindProxy && !request.headers.has(ADDRESS_HEADER);
  if (needsNoChange && urlParts(request.url).pathname === MCP_PATH) return request;
  const headers = new Headers(request.headers);
  headers.delete(ADDRESS_HEADER);
  const address = isBehindProxy ? lastForwarded(request.headers) : peerOf(request);
  if (address !== undefined) headers.set(ADDRESS_HEADER, address);
  const forwarded = new Request(request, { headers });
  if (!isBehindProxy) return forwarded;
  const url = new URL(request.url);
  if (url.host === urlParts(publicUrl).host) url.protocol = "https:";
  return new Request(url, forwarded);
}

/** `undefined` if the settings do not give it; the Worker then reports the problem itself. */
function findPublicUrl(settings: object, requestUrl: string): string | undefined {
  try {
    return readPublicUrl(settings, requestUrl);
  } catch {
    return undefined;
  }
}

function lastForwarded(headers: Headers): string | undefined {
  return headers.get("X-Forwarded-For")?.split(",").at(-1)?.trim() || undefined;
}

/** workerd reports the peer of the connection: `203.0.113.9:51506`, `[2001:db8::1]:51506`. */
function peerOf({ cf }: Request): string | undefined {
  const peer: unknown = cf === undefined ? undefined : Reflect.get(cf, "clientIp");
  return typeof peer === "string"
    ? /^\[?(?<address>[^\]]+?)\]?(?::\d+)?$/.exec(peer)?.groups?.address
    : undefined;
}
