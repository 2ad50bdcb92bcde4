/**
 * Checks whether a signed-in person still has access under the current settings. It runs at each request, at
 * each refresh and when a code is exchanged, so anyone removed from the lists loses access at once.
 */
import {
  readAccessSettings,
  readOidcSettings,
  readSignInSettings,
  SCOPES,
  type Scope,
  type SettingsSource,
} from "../settings/index.ts";
import { mayEnter, mayReadData } from "./allow-list.ts";
import type { CallerProps, PersonProps, TokenProps } from "./caller.ts";

export interface Admission {
  readonly caller: CallerProps;
  readonly scopes: readonly Scope[];
}

/** `undefined` if the person no longer has access. */
export function admitCaller(props: TokenProps, settings: SettingsSource): Admission | undefined {
  const { userId, via } = props;
  if (via === "oidc") return admitPerson(props, settings);
  // Once the passphrase is unset, tokens issued for it are refused too.
  if (readSignInSettings(settings).passphrase === undefined) return undefined;
  return { caller: { userId, via }, scopes: SCOPES };
}

function admitPerson(
  { userId, via, issuer, identity }: PersonProps,
  settings: SettingsSource,
): Admission | undefined {
  const access = readAccessSettings(settings);
  // Claims from another provider may mean something else.
  if (readOidcSettings(settings)?.issuer !== issuer || !mayEnter(identity, access)) return undefined;
  if (mayReadData(identity, access)) return { caller: { userId, via }, scopes: SCOPES };
  return { caller: { userId, via, cannotStepUp: true }, scopes: ["n8n:read"] };
}
