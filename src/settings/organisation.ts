/** Sign-in at an organisation: its OpenID provider, and who may enter and see payloads. */
import { isEntra, ORGANISATION } from "./organisation-settings.ts";
import { memoizeBySettings, readSetting, requireSetting, type SettingsSource, text } from "./source.ts";
import { fail } from "./values.ts";

export type OidcSettings = NonNullable<ReturnType<typeof readOidcSettings>>;

const HALF_SET = "is missing, although other OIDC settings are set";
const OIDC_NAMES = Object.keys(ORGANISATION).filter((name) => name.startsWith("OIDC_"));

/** `undefined` if no provider is set. @throws ObserverError `CONFIGURATION_ERROR` when it is half set, or malformed. */
export const readOidcSettings = memoizeBySettings((source) => {
  if (OIDC_NAMES.every((name) => text(source, name) === undefined)) return undefined;
  const issuer = requireSetting(source, "OIDC_ISSUER", HALF_SET);
  return {
    /** A normalized URL: `https://id.example.com/`, `https://id.example.com/realms/main`. */
    issuer: issuer.href,
    clientId: requireSetting(source, "OIDC_CLIENT_ID", HALF_SET),
    clientSecret: requireSetting(source, "OIDC_CLIENT_SECRET", HALF_SET),
    /** `openid` is among them. */
    scopes: readSetting(source, "OIDC_SCOPES"),
    groupsClaim: readSetting(source, "OIDC_GROUPS_CLAIM"),
    /** Whether an address counts as verified when the provider does not say. */
    trustsEmail: readTrustEmail(source, issuer),
    /** Whether the provider's assertions are exchanged for access (enterprise-managed authorization). */
    isManaged: readSetting(source, "OIDC_ENTERPRISE_MANAGED"),
    sessionSeconds: readSetting(source, "OIDC_SESSION_HOURS") * 60 * 60,
  };
});

/** At Entra a tenant's administrator can type any address, so it proves nothing. */
function readTrustEmail(source: SettingsSource, issuer: URL): boolean {
  const trusts = readSetting(source, "OIDC_TRUST_EMAIL");
  if (trusts && isEntra(issuer)) {
    fail(
      "OIDC_TRUST_EMAIL",
      "cannot be on for Microsoft Entra, which does not verify addresses",
      "Take it out, and list people by ALLOWED_OBJECT_IDS or ALLOWED_GROUPS.",
    );
  }
  return trusts;
}

export type AccessSettings = ReturnType<typeof readAccessSettings>;
/** People, by claims the provider vouches for. Matching any list is enough; empty lists match nobody. */
export type AccessRules = AccessSettings["allowed"];

/** Who may enter, and who of them may have `n8n:data`. @throws ObserverError `CONFIGURATION_ERROR`: it fails closed. */
export const readAccessSettings = memoizeBySettings((source) => ({
  allowed: readRules(source, "ALLOWED"),
  data: readRules(source, "DATA"),
}));

function readRules(source: SettingsSource, prefix: "ALLOWED" | "DATA") {
  return {
    /** Whole addresses, in lower case. */
    emails: readSetting(source, `${prefix}_EMAILS`),
    /** Whole domains, in lower case. */
    emailDomains: readSetting(source, `${prefix}_EMAIL_DOMAINS`),
    /** Exactly as the provider spells them. */
    groups: readSetting(source, `${prefix}_GROUPS`),
    /** Microsoft Entra: `<tenant id>/<object id>`, in lower case. */
    objectIds: readSetting(source, `${prefix}_OBJECT_IDS`),
  };
}
