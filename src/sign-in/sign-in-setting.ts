/** Sign-in in a browser requires a passphrase or an OpenID provider: without either the answer says how to set one. */
import type { SignInMethods } from "../pages/sign-in.tsx";
import {
  type OidcSettings,
  readAccessSettings,
  readN8nKeys,
  readOidcSettings,
  readSignInSettings,
  type SettingProblem,
  type SettingsSource,
} from "../settings/index.ts";
import { isAnybodyAllowed } from "./allow-list.ts";
import { RequestRefused, toSettingFailure } from "./failure.ts";

const NO_WAY_IN: SettingProblem = {
  setting: "ACCESS_PASSPHRASE",
  problem: "Browser sign-in is disabled: neither a passphrase nor an OpenID provider is set.",
  solution:
    "Whoever runs this server sets ACCESS_PASSPHRASE: locally in .dev.vars, deployed with `wrangler secret put ACCESS_PASSPHRASE`. A good one comes from `openssl rand -base64 24`. For an organisation, docs/sign-in says how to use OIDC_ISSUER instead.",
};

const NO_OIDC: SettingProblem = {
  setting: "OIDC_ISSUER",
  problem: "Sign-in at an organisation is disabled: no OpenID provider is set.",
  solution: "Go back to your app and connect again. docs/sign-in says how to set up a provider.",
};

const NOBODY_ALLOWED: SettingProblem = {
  setting: "ALLOWED_EMAILS",
  problem: "Every sign-in with the OpenID provider is refused: no list says who is allowed.",
  solution:
    "Set ALLOWED_EMAILS, ALLOWED_EMAIL_DOMAINS, ALLOWED_GROUPS or ALLOWED_OBJECT_IDS. docs/sign-in says which.",
};

export type WaysIn = Readonly<ReturnType<typeof readWaysIn>>;

/** Names the provider by the host at which people sign in. */
export function toSignInMethods({ hasPassphrase, oidc, ownKeys }: WaysIn): SignInMethods {
  const provider = oidc && new URL(oidc.issuer).host;
  return { passphrase: hasPassphrase, provider, ...(ownKeys && { ownKeys }) };
}

const hasTokens = (source: SettingsSource): boolean => readSignInSettings(source).serviceTokens.length > 0;

/** `undefined` if a person, or a service token alone, has access, or if a malformed setting is reported elsewhere. */
export function findSignInProblem(source: SettingsSource): SettingProblem | undefined {
  const { hasPassphrase, oidc } = readWaysIn(source);
  if (oidc !== undefined) return isAnybodyAllowed(readAccessSettings(source)) ? undefined : NOBODY_ALLOWED;
  return hasPassphrase || hasTokens(source) ? undefined : NO_WAY_IN;
}

/** A client with a service token has access even if no person can sign in. */
export const hasWayIn = (source: SettingsSource): boolean =>
  findSignInProblem(source) === undefined || hasTokens(source);

export function requireWayIn(source: SettingsSource): WaysIn {
  const ways = readWaysIn(source);
  if (!ways.hasPassphrase && ways.oidc === undefined) throw new RequestRefused(toSettingFailure(NO_WAY_IN));
  return ways;
}

export function requireOidcSet(source: SettingsSource): OidcSettings {
  const { oidc } = readWaysIn(source);
  if (oidc === undefined) throw new RequestRefused(toSettingFailure(NO_OIDC));
  return oidc;
}

/** @throws ObserverError `CONFIGURATION_ERROR` for a malformed setting. */
export function readWaysIn(source: SettingsSource) {
  const { passphrase } = readSignInSettings(source);
  const ownKeys = readN8nKeys(source) === "personal";
  return { hasPassphrase: passphrase !== undefined, oidc: readOidcSettings(source), ownKeys };
}
