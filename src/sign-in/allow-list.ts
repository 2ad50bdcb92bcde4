/**
 * Decides who may enter and who may see payloads: checks an identity against the lists in the settings. No I/O.
 *
 * Values are compared whole. An `Identity` holds only verified claims, so no further check is needed here.
 */
import type { AccessRules, AccessSettings } from "../settings/index.ts";
import { isIncludedIn } from "./access-rules.ts";
import type { Identity } from "./caller.ts";

export const mayEnter = (identity: Identity, { allowed }: AccessSettings): boolean =>
  isListed(identity, allowed);

/** Only a person who may enter may see payloads. */
export const mayReadData = (identity: Identity, access: AccessSettings): boolean =>
  mayEnter(identity, access) && isListed(identity, access.data);

export const isAnybodyAllowed = ({ allowed }: AccessSettings): boolean =>
  Object.values(allowed).some((list) => list.length > 0);

const isListed = (identity: Identity, { emailDomains, objectIds, ...lists }: AccessRules): boolean =>
  isIncludedIn({ identity }, { ...lists, domains: emailDomains, ids: objectIds });
