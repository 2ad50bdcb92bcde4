/**
 * Turns the claims of a validated ID token (OpenID Connect Core §5.1) into an identity: only what the provider
 * vouches for, and only groups that the settings name. No I/O.
 */
import * as z from "zod";
import { type EmailAddress, parseDomain, parseEmailAddress } from "../../settings/email-address.ts";
import type { OidcSettings } from "../../settings/index.ts";
import type { Identity } from "../caller.ts";

/** A claim of the wrong type counts as absent. */
const said = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

const identityClaims = z.looseObject({
  email: said(z.string()),
  email_verified: z.unknown().optional(),
  /** Google: the domain of the organisation that manages the account. */
  hd: said(z.string()),
  /** Microsoft Entra: tenant and object. */
  tid: said(z.string()),
  oid: said(z.string()),
});

type IdentityClaims = z.infer<typeof identityClaims>;

/** More groups are treated as a mistake: nobody can review such a list. */
const MAXIMUM_GROUPS = 2000;
const groupNames = z.union([z.string().transform((name) => [name]), z.array(z.string()).max(MAXIMUM_GROUPS)]);

const GOOGLE = "https://accounts.google.com/";

export function toIdentity(claims: unknown, oidc: OidcSettings, groups: ReadonlySet<string>): Identity {
  const parsed = identityClaims.parse(claims);
  const isGoogle = oidc.issuer === GOOGLE;
  const email = verifiedEmail(parsed, oidc, isGoogle);
  // Anyone can have a Google account with an address in a domain that Google does not manage.
  const domain = isGoogle ? parseDomain(parsed.hd ?? "") : email?.domain;
  return {
    email: email?.address,
    domain: email === undefined ? undefined : domain,
    objectId: toObjectId(parsed),
    groups: namedGroups(parsed[oidc.groupsClaim], groups),
  };
}

/** Only the boolean `true` counts, not the string "true". */
function verifiedEmail(
  claims: IdentityClaims,
  { trustsEmail }: OidcSettings,
  isGoogle: boolean,
): EmailAddress | undefined {
  const isVerified = claims.email_verified === true || (trustsEmail && claims.email_verified === undefined);
  const email = isVerified ? parseEmailAddress(claims.email ?? "") : undefined;
  if (!isGoogle) return email;
  // Other addresses may have a new owner by now: Google is not an authority for them.
  return claims.hd !== undefined || email?.domain === "gmail.com" ? email : undefined;
}

function toObjectId({ tid, oid }: IdentityClaims): string | undefined {
  return tid === undefined || oid === undefined ? undefined : `${tid}/${oid}`.toLowerCase();
}

/** Why nothing is known of the person's groups, for the operator; undefined if the provider has told them. */
export function groupsFault(claims: unknown, { groupsClaim }: OidcSettings): GroupsFault | undefined {
  const { _claim_names: elsewhere, hasgroups, [groupsClaim]: claim } = groupFaultClaims.parse(claims);
  // Microsoft Entra: a person in more than 200 groups has them only at another address.
  if (claim === undefined && (hasgroups === true || Object.hasOwn(elsewhere ?? {}, groupsClaim)))
    return "groups_overage";
  if (claim === undefined) return "groups_missing";
  return groupNames.safeParse(claim).success ? undefined : "groups_unreadable";
}

export type GroupsFault = "groups_overage" | "groups_missing" | "groups_unreadable";
const groupFaultClaims = z.looseObject({
  _claim_names: z.looseObject({}).optional().catch(undefined),
  hasgroups: z.unknown().optional(),
});

function namedGroups(claim: unknown, named: ReadonlySet<string>): string[] {
  const groups = groupNames.safeParse(claim);
  if (!groups.success) return [];
  return [...new Set(groups.data)].filter((group) => named.has(group));
}
