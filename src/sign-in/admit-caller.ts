/**
 * Checks whether a signed-in person still has access under the current settings. It runs at each request, at each
 * refresh and when a code is exchanged, so that anyone removed from the lists loses access at once.
 */
import {
  readAccessSettings,
  readOidcSettings,
  readSignInSettings,
  SCOPES,
  type Scope,
  type SettingsSource,
} from "../settings/index.ts";
import { accessUnder } from "./access-rules.ts";
import { mayEnter, mayReadData } from "./allow-list.ts";
import type { CallerProps, PersonProps, TokenProps } from "./caller.ts";

export interface Admission {
  readonly caller: CallerProps;
  readonly scopes: readonly Scope[];
}

/** `undefined` if the lists or the access rules no longer admit the person, or if they lack an n8n key. */
export function admitCaller(props: TokenProps, settings: SettingsSource): Admission | undefined {
  const { userId, via, n8nKeys } = props;
  if (via === "oidc") return admitPerson(props, settings);
  // Once the passphrase is unset, tokens issued for it are refused too.
  if (readSignInSettings(settings).passphrase === undefined) return undefined;
  const given = accessUnder(settings, {}, SCOPES, n8nKeys);
  return given && { caller: { userId, via, access: given.access }, scopes: given.scopes };
}

function admitPerson(
  { userId, via, issuer, identity, n8nKeys }: PersonProps,
  settings: SettingsSource,
): Admission | undefined {
  const access = readAccessSettings(settings);
  // Claims from another provider may mean something else.
  if (readOidcSettings(settings)?.issuer !== issuer || !mayEnter(identity, access)) return undefined;
  const allowed = SCOPES.filter((scope) => scope !== "n8n:data" || mayReadData(identity, access));
  const given = accessUnder(settings, { userId, identity }, allowed, n8nKeys);
  if (given === undefined) return undefined;
  const stepUp = given.scopes.includes("n8n:data") ? {} : { cannotStepUp: true };
  return { caller: { userId, via, access: given.access, ...stepUp }, scopes: given.scopes };
}
