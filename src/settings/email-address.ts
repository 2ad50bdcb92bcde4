/**
 * E-mail addresses for access checks: only plain ASCII, compared whole and case-insensitively. No I/O.
 *
 * Only the case is normalized. Unicode has many letters that look or even lower-case alike (the Kelvin sign becomes a
 * "k"), so an address or domain with a character outside ASCII matches nothing. An internationalised domain is written
 * as in DNS (`xn--…`).
 */

/** Both in lower case. */
export interface EmailAddress {
  readonly address: string;
  readonly domain: string;
}

/** A dot-atom (RFC 5322 §3.2.3); quoted local parts, which could hold another `@`, are not accepted. */
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const MAXIMUM_LOCAL_PART_LENGTH = 64;
/** RFC 1035 §2.3.4. */
const MAXIMUM_DOMAIN_LENGTH = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ASCII_LETTERS = /^[\x21-\x7e]+$/;

/** `undefined` unless it is a plain address: not `a@b@example.com`, and no display name. */
export function parseEmailAddress(text: string): EmailAddress | undefined {
  if (!ASCII_LETTERS.test(text)) return undefined;
  const address = text.toLowerCase();
  const at = address.indexOf("@");
  const localPart = address.slice(0, at);
  const domain = parseDomain(address.slice(at + 1));
  const isLocalPart = localPart.length <= MAXIMUM_LOCAL_PART_LENGTH && LOCAL_PART.test(localPart);
  return at > 0 && isLocalPart && domain !== undefined ? { address, domain } : undefined;
}

/** The address in a list: it may contain `*`, but there it is almost certainly a wildcard. */
export const parseWholeAddress = (text: string): string | undefined =>
  text.includes("*") ? undefined : parseEmailAddress(text)?.address;

/** A domain of two labels or more, in lower case; otherwise `undefined`. */
export function parseDomain(text: string): string | undefined {
  if (!ASCII_LETTERS.test(text) || text.length > MAXIMUM_DOMAIN_LENGTH) return undefined;
  const labels = text.toLowerCase().split(".");
  const isDomain = labels.length > 1 && labels.every((label) => LABEL.test(label));
  return isDomain && !/^\d+$/.test(labels.at(-1) ?? "") ? labels.join(".") : undefined;
}
