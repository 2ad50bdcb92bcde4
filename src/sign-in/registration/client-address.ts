/**
 * The address and network under which a registration is counted. No I/O.
 *
 * Only `CF-Connecting-IP`, which Cloudflare sets, is trusted. An IPv6 user has at least a /64, and a site up to a /48
 * (RFC 6177): a /64 counts as one address, a /48 as one network, like an IPv4 /24. Without the header, that is without
 * Cloudflare in front, all requests share one count.
 */

export interface ClientAddress {
  /** An IPv4 address, or the /64 of an IPv6 address. */
  readonly address: string;
  /** The /24 of an IPv4 address, or the /48 of an IPv6 address. */
  readonly network: string;
}

const UNKNOWN: ClientAddress = { address: "unknown", network: "an unknown network" };

export function clientAddress(request: Request): ClientAddress {
  const header = request.headers.get("CF-Connecting-IP")?.trim() ?? "";
  const address = header.replace(/^\[(.*)\](?::\d{1,5})?$|^([\d.]+):\d{1,5}$/, "$1$2");
  const parts = ipv6Groups(address);
  const ipv4 = parts === undefined ? address : ipv4Within(parts);
  const [, firstThree] = /^(\d{1,3}(?:\.\d{1,3}){2})\.\d{1,3}$/.exec(ipv4 ?? "") ?? [];
  if (ipv4 !== undefined && firstThree !== undefined) return { address: ipv4, network: `${firstThree}.0/24` };
  if (parts === undefined) return UNKNOWN;
  return { address: `${parts.slice(0, 4).join(":")}::/64`, network: `${parts.slice(0, 3).join(":")}::/48` };
}

/** The IPv4 address in an IPv4-mapped (RFC 4291 §2.5.5.2) or IPv4-embedded (RFC 6052 §2.1) address. */
function ipv4Within(parts: readonly string[]): string | undefined {
  const prefix = parts.slice(0, 6).join(":");
  if (prefix !== "0:0:0:0:0:ffff" && prefix !== "64:ff9b:0:0:0:0") return undefined;
  const octets = parts.slice(6).flatMap((group) => {
    const bits = Number.parseInt(group, 16);
    return [bits >> 8, bits & 255];
  });
  return octets.join(".");
}

/** Expands an address as the URL parser writes it (RFC 5952) into eight groups. */
function ipv6Groups(address: string): readonly string[] | undefined {
  const host = URL.parse(`http://[${address}]/`)?.hostname;
  if (host === undefined) return undefined;
  const [before = "", after = ""] = host.slice(1, -1).split("::");
  const head = groups(before);
  const tail = groups(after);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail];
}

const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
