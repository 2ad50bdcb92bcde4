/** The OpenID provider at which people of an organisation sign in. */
import * as z from "zod";
import { fail, keepingLast, readSwitch, type SettingsSource, safeUrl, text } from "./source.ts";

export interface OidcSettings {
  /** A normalized URL: `https://id.example.com/`, `https://id.example.com/realms/main`. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** `openid` is among them. */
  readonly scopes: readonly string[];
  /** The claim that names a person's groups. */
  readonly groupsClaim: string;
  /** Whether an address counts as verified of which the provider does not say whether it is. */
  readonly trustsEmail: boolean;
  /** How long somebody who has signed in stays so, in seconds. */
  readonly sessionSeconds: number;
}

const REQUIRED = {
  OIDC_ISSUER: "Set it to the provider's issuer, for example https://accounts.google.com.",
  OIDC_CLIENT_ID: "Set it to the id of the client that you registered at the provider.",
  OIDC_CLIENT_SECRET: "Set it with `wrangler secret put OIDC_CLIENT_SECRET`, or in .dev.vars.",
} as const;
const OPTIONAL = ["OIDC_SCOPES", "OIDC_GROUPS_CLAIM", "OIDC_TRUST_EMAIL", "OIDC_SESSION_HOURS"];
const WHERE = "docs/sign-in says what to register at each provider.";

/** Redaction knows our own secret by its text, and a shorter one would turn up by chance. */
const MINIMUM_SECRET_LENGTH = 8;
/** `profile` is where Microsoft Entra keeps `oid` and `tid`. */
const DEFAULT_SCOPES = ["openid", "profile", "email"];
const DEFAULT_SESSION_HOURS = 24;
const MAXIMUM_SESSION_HOURS = 24 * 30;

/** RFC 6749 §3.3. */
const scopeToken = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/);
const clientText = z.string().regex(/^[\x21-\x7e]{1,500}$/);
const sessionHours = z.coerce.number().int().min(1).max(MAXIMUM_SESSION_HOURS);

/**
 * The OpenID provider, or `undefined` when none is set.
 * @throws ObserverError `CONFIGURATION_ERROR` when it is half set, or malformed.
 */
export const readOidcSettings = keepingLast((source): OidcSettings | undefined => {
  const names = [...Object.keys(REQUIRED), ...OPTIONAL];
  if (names.every((name) => text(source, name) === undefined)) return undefined;
  const issuer = readIssuer(source);
  return {
    issuer: issuer.href,
    clientId: readClientText(source, "OIDC_CLIENT_ID", 1),
    clientSecret: readClientText(source, "OIDC_CLIENT_SECRET", MINIMUM_SECRET_LENGTH),
    scopes: readScopes(source),
    groupsClaim: readGroupsClaim(source),
    trustsEmail: readTrustEmail(source, issuer),
    sessionSeconds: readSessionHours(source) * 60 * 60,
  };
});

function required(source: SettingsSource, name: keyof typeof REQUIRED): string {
  const value = text(source, name);
  if (value === undefined) {
    fail(name, "is missing, though other OIDC settings are there", `${REQUIRED[name]} ${WHERE}`);
  }
  return value;
}

/** Microsoft's addresses for every tenant at once: their metadata names no issuer that a token could have. */
const MANY_TENANTS = /^\/(common|organizations|consumers)(\/|$)/;
const isEntra = (url: URL): boolean =>
  /(^|\.)(login\.microsoftonline\.|sts\.windows\.net$)/.test(url.hostname);

function readIssuer(source: SettingsSource): URL {
  const url = safeUrl.safeParse(required(source, "OIDC_ISSUER"));
  if (!url.success) {
    fail(
      "OIDC_ISSUER",
      "is not a usable issuer",
      "It must be an https URL (http only for localhost), without user, query or fragment, and without /.well-known/openid-configuration.",
    );
  }
  if (url.data.pathname.includes("/.well-known/")) {
    fail("OIDC_ISSUER", "is the address of the metadata", "Leave /.well-known/openid-configuration out.");
  }
  if (isEntra(url.data) && MANY_TENANTS.test(url.data.pathname)) {
    fail(
      "OIDC_ISSUER",
      "stands for every tenant",
      "Name your own tenant: https://login.microsoftonline.com/<tenant id>/v2.0.",
    );
  }
  return url.data;
}

function readClientText(
  source: SettingsSource,
  name: "OIDC_CLIENT_ID" | "OIDC_CLIENT_SECRET",
  minimumLength: number,
): string {
  const value = required(source, name);
  if (!clientText.safeParse(value).success) {
    fail(name, "holds characters that it cannot have", "Copy it again, without spaces or line breaks.");
  }
  if (value.length < minimumLength) {
    fail(name, "is too short", `Copy the whole of it from the provider. ${WHERE}`);
  }
  return value;
}

function readScopes(source: SettingsSource): readonly string[] {
  const scopes = text(source, "OIDC_SCOPES")?.split(/[\s,;]+/) ?? DEFAULT_SCOPES;
  if (!scopes.includes("openid") || scopes.some((scope) => !scopeToken.safeParse(scope).success)) {
    fail(
      "OIDC_SCOPES",
      "is not a list of scopes with openid among them",
      `Separate them by spaces, for example: ${DEFAULT_SCOPES.join(" ")} groups.`,
    );
  }
  return [...new Set(scopes)];
}

function readGroupsClaim(source: SettingsSource): string {
  const claim = text(source, "OIDC_GROUPS_CLAIM") ?? "groups";
  if (!clientText.safeParse(claim).success) {
    fail(
      "OIDC_GROUPS_CLAIM",
      "is not the name of a claim",
      "Set it to the claim that lists a person's groups, for example groups, roles or https://example.com/groups.",
    );
  }
  return claim;
}

/** At Entra an address is whatever a tenant's administrator has typed: it proves nothing. */
function readTrustEmail(source: SettingsSource, issuer: URL): boolean {
  const trusts = readSwitch(source, "OIDC_TRUST_EMAIL");
  if (trusts && isEntra(issuer)) {
    fail(
      "OIDC_TRUST_EMAIL",
      "cannot be on for Microsoft Entra, which does not verify addresses",
      "Take it out, and list people by ALLOWED_OBJECT_IDS or ALLOWED_GROUPS.",
    );
  }
  return trusts;
}

function readSessionHours(source: SettingsSource): number {
  const hours = sessionHours.safeParse(text(source, "OIDC_SESSION_HOURS") ?? DEFAULT_SESSION_HOURS);
  if (!hours.success) {
    fail(
      "OIDC_SESSION_HOURS",
      "is not a number of hours",
      `Set it to a whole number from 1 to ${MAXIMUM_SESSION_HOURS}; ${DEFAULT_SESSION_HOURS} is the default.`,
    );
  }
  return hours.data;
}
