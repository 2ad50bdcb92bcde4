/**
 * Decides who may enter and who may see payloads: checks an identity against the lists in the settings. No I/O.
 *
 * Values are compared whole. An `Identity` holds only what the provider vouches for, so nothing here can forget
 * to check that.
 */
import type { AccessRules, AccessSettings } from "../settings/index.ts";
import type { Identity } from "./caller.ts";

export function mayEnter(identity: Identity, { allowed }: AccessSettings): boolean {
  return isMeant(identity, allowed);
}

/** Only a person who may enter may see payloads. */
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
