/**
 * Whether somebody who has signed in may still be here, by the settings of this moment. Asked at each
 * request, at each refresh and when a code is exchanged: who is taken off the lists is out at once.
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
import type { CallerProps, TokenProps } from "./caller.ts";

export interface Admission {
  readonly caller: CallerProps;
  readonly scopes: readonly Scope[];
}

/** `undefined` when the person may not be here any more. */
export function admitCaller(props: TokenProps, settings: SettingsSource): Admission | undefined {
  const { userId, via } = props;
  if (via === "oidc") return admitPerson(props, settings);
  // Without a passphrase nobody gets in by one, not even by a token of yesterday.
  if (readSignInSettings(settings).passphrase === undefined) return undefined;
  return { caller: { userId, via }, scopes: SCOPES };
}

type PersonProps = Extract<TokenProps, { via: "oidc" }>;

function admitPerson(
  { userId, via, issuer, identity }: PersonProps,
  settings: SettingsSource,
): Admission | undefined {
  const access = readAccessSettings(settings);
  // Claims of another provider mean something else.
  if (readOidcSettings(settings)?.issuer !== issuer || !mayEnter(identity, access)) return undefined;
  if (mayReadData(identity, access)) return { caller: { userId, via }, scopes: SCOPES };
  return { caller: { userId, via, cannotStepUp: true }, scopes: ["n8n:read"] };
}
