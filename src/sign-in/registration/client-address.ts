/**
 * Whom a registration is counted for. No I/O.
 *
 * Only `CF-Connecting-IP` is believed: Cloudflare sets it, and what a client sends under that name is
 * replaced. Whoever has IPv6 has at least a /64 of it (RFC 6177), so that is what counts as one
 * address. Without the header, which means without Cloudflare in front, all share one count.
 */

/** An IPv4 address, the /64 of an IPv6 address, or `unknown`. */
export function clientAddress(request: Request): string {
  const address = request.headers.get("CF-Connecting-IP")?.trim() ?? "";
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(address)) return address;
  return networkOf(address) ?? "unknown";
}

/** The first 64 bits, as the URL parser writes an address that it was given (RFC 5952). */
function networkOf(address: string): string | undefined {
  const host = URL.parse(`http://[${address}]/`)?.hostname;
  if (host === undefined) return undefined;
  const [before = "", after = ""] = host.slice(1, -1).split("::");
  const head = groups(before);
  const tail = groups(after);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(":")}::/64`;
}

function groups(part: string): string[] {
  return part === "" ? [] : part.split(":");
}
