/**
 * Who may enter and who may see payloads: an identity against the lists of the settings. No I/O.
 *
 * Everything is compared whole. What the provider did not vouch for is not in an `Identity` at all, so
 * that nothing here can forget to ask.
 */
import type { AccessRules, AccessSettings } from "../settings/index.ts";
import type { Identity } from "./caller.ts";

export function mayEnter(identity: Identity, { allowed }: AccessSettings): boolean {
  return isMeant(identity, allowed);
}

/** Only somebody who may enter may see payloads. */
export function mayReadData(identity: Identity, access: AccessSettings): boolean {
  return mayEnter(identity, access) && isMeant(identity, access.data);
}

export function isAnybodyAllowed({ allowed }: AccessSettings): boolean {
  return Object.values(allowed).some((list) => list.length > 0);
}

function isMeant({ email, domain, objectId, groups }: Identity, rules: AccessRules): boolean {
  return (
    isListed(email, rules.emails) ||
    isListed(domain, rules.emailDomains) ||
    isListed(objectId, rules.objectIds) ||
    groups.some((group) => rules.groups.includes(group))
  );
}

function isListed(value: string | undefined, list: readonly string[]): boolean {
  return value !== undefined && list.includes(value);
}
