/**
 * Turns the claims of a validated ID token (OpenID Connect Core §5.1) into an identity: only claims that the provider
 * vouches for, and only groups that the settings name. No I/O.
 */
import * as z from "zod";
import { type EmailAddress, parseDomain, parseEmailAddress } from "../../settings/email-address.ts";
import type { OidcSettings } from "../../settings/index.ts";
import type { Identity } from "../caller.ts";

/** A claim of the wrong type counts as absent. */
const claim = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

const identityClaims = z.looseObject({
  email: claim(z.string()),
  email_verified: z.unknown().optional(),
  /** Google: the domain of the organisation that manages the account. */
  hd: claim(z.string()),
  /** Microsoft Entra: tenant and object. */
  tid: claim(z.string()),
  oid: claim(z.string()),
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
  // Google is not an authority for other addresses: they may have a new owner by now.
  return claims.hd !== undefined || email?.domain === "gmail.com" ? email : undefined;
}

const toObjectId = ({ tid, oid }: IdentityClaims): string | undefined =>
  tid === undefined || oid === undefined ? undefined : `${tid}/${oid}`.toLowerCase();

/** Microsoft Entra: the groups do not fit into the token, which says where to read them instead. */
const overage = z.union([
  z.looseObject({ hasgroups: z.union([z.literal(true), z.literal("true")]) }),
  z.looseObject({ _claim_names: z.record(z.string(), z.unknown()) }),
]);

/** Why the person's groups are unknown although the settings name groups, as a slug for the log. */
export function findGroupsFault(
  claims: unknown,
  { groupsClaim }: OidcSettings,
  named: ReadonlySet<string>,
): string | undefined {
  if (named.size === 0) return undefined;
  const groups = identityClaims.parse(claims)[groupsClaim];
  if (groups !== undefined) return groupNames.safeParse(groups).success ? undefined : "groups_unreadable";
  const pointer = overage.safeParse(claims).data;
  if (pointer === undefined) return undefined;
  const isElsewhere = "hasgroups" in pointer || Object.hasOwn(Object(pointer._claim_names), groupsClaim);
  return isElsewhere ? "groups_overage" : undefined;
}

function namedGroups(claim: unknown, named: ReadonlySet<string>): string[] {
  const groups = groupNames.safeParse(claim);
  if (!groups.success) return [];
  return [...new Set(groups.data)].filter((group) => named.has(group));
}
