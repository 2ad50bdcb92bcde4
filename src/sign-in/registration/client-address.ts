/**
 * Whom a registration is counted for. No I/O.
 *
 * Only `CF-Connecting-IP` is believed: Cloudflare sets it, and what a client sends under that name is
 * replaced. Whoever has IPv6 has at least a /64 of it, and a site up to a /48 (RFC 6177): the first counts
 * as one address, the second as one network, as an IPv4 /24 does. Without the header, which means without
 * Cloudflare in front, all share one count.
 */

export interface ClientAddress {
  /** An IPv4 address, or the /64 of an IPv6 address. */
  readonly address: string;
  /** The /24 of an IPv4 address, or the /48 of an IPv6 address. */
  readonly network: string;
}

const UNKNOWN: ClientAddress = { address: "unknown", network: "an unknown network" };

export function clientAddress(request: Request): ClientAddress {
  const address = request.headers.get("CF-Connecting-IP")?.trim() ?? "";
  const [, firstThree] = /^(\d{1,3}(?:\.\d{1,3}){2})\.\d{1,3}$/.exec(address) ?? [];
  if (firstThree !== undefined) return { address, network: `${firstThree}.0/24` };
  const parts = ipv6Groups(address);
  if (parts === undefined) return UNKNOWN;
  return { address: `${parts.slice(0, 4).join(":")}::/64`, network: `${parts.slice(0, 3).join(":")}::/48` };
}

/** The eight groups, as the URL parser writes an address that it was given (RFC 5952). */
function ipv6Groups(address: string): readonly string[] | undefined {
  const host = URL.parse(`http://[${address}]/`)?.hostname;
  if (host === undefined) return undefined;
  const [before = "", after = ""] = host.slice(1, -1).split("::");
  const head = groups(before);
  const tail = groups(after);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail];
}

function groups(part: string): string[] {
  return part === "" ? [] : part.split(":");
}
