/**
 * `GET /callback`: the browser returns from the provider. The steps run in this order and stop at the first failure:
 * check the state (ours, used once, from this browser), check the provider's answer, identify the person, check their
 * access, issue the code for the client.
 *
 * The grant follows the request and the choice that were stored at consent, never this request.
 */
import { type AuthRequest, authorizationErrorRedirect } from "@cloudflare/workers-oauth-provider";
import type { Failure } from "../../pages/answer-failure.ts";
import { leave } from "../../pages/leave.tsx";
import { groupsNamedIn, type OidcSettings, type Scope } from "../../settings/index.ts";
import { admitCaller } from "../admit-caller.ts";
import type { TokenProps } from "../caller.ts";
import { RequestRefused } from "../failure.ts";
import { issueCode } from "../issue-code.ts";
import { type OAuthRequest, oauthOf } from "../oauth-roles.ts";
import { faultsOfKeys, n8nKeysIn, type TryKey } from "../own-keys.ts";
import { pinPublicUrl } from "../public-origin.ts";
import { presentConsent } from "../show-consent.ts";
import { logSignIn } from "../sign-in-log.ts";
import { requireOidcSet } from "../sign-in-setting.ts";
import { upstreamOf } from "./ask-again.ts";
import { CALLBACK_PATH, type PendingSignIn, pendingSignIn } from "./begin-sign-in.ts";
import { exchangeCode, type ProviderAnswer } from "./exchange-code.ts";
import { findGroupsFault, toIdentity } from "./identity.ts";
import { refuseProviderFaults } from "./sign-in-fault.ts";
import { userIdOf } from "./user-ids.ts";

export async function finishSignIn({ request, env, roles }: OAuthRequest, tryKey: TryKey): Promise<Response> {
  const oidc = requireOidcSet(env);
  const oauth = oauthOf({ env, roles });
  const { request: authRequest, data, headers } = await oauth.finishUpstream<unknown>(request);
  const pending = pendingSignIn.parse(data);
  const callback = new URL(request.url).searchParams;
  if (pending.issuer !== oidc.issuer) throw new RequestRefused(OTHER_PROVIDER);
  // `exchangeCode` reports any other error as a fault of the provider.
  if (callback.get("error") === "access_denied") return declined(request, authRequest, headers);
  const { clientId } = authRequest;
  const redirectUri = roles.publicUrl + CALLBACK_PATH;
  const answer = await refuseProviderFaults(clientId, () =>
    exchangeCode(callback, pending, oidc, redirectUri),
  );
  const { props, scopes, groupsFault } = await requireAllowed(answer, oidc, env, clientId, pending);
  const faults = await faultsOfKeys(pending, env, props.userId, tryKey);
  if (Object.keys(faults).length > 0) {
    logSignIn({ outcome: "refused", via: "oidc", userId: props.userId, clientId, reason: "n8n_key" });
    const chosen = pending.withData ? "n8n:data" : "n8n:read";
    const again = { reason: "n8n_key", faults } as const;
    return presentConsent(oauth, authRequest, env, { chosen, again }, headers);
  }
  await pinPublicUrl(env, roles.publicUrl);
  const redirectTo = await issueCode(oauth, authRequest, props, pending.withData, scopes);
  logSignIn({ outcome: "signed_in", via: "oidc", userId: props.userId, clientId, reason: groupsFault });
  return leave(request, { redirectTo, decision: "approved" }, headers);
}

/** Denies the client access: the person gave up at the provider, or may not use it (RFC 6749 §4.1.2.1). */
function declined(request: Request, authRequest: AuthRequest, headers: Headers): Promise<Response> {
  const { clientId } = authRequest;
  logSignIn({ outcome: "declined", via: "oidc", clientId, reason: "at_provider" });
  const redirectTo = authorizationErrorRedirect(authRequest, "access_denied");
  return leave(request, { redirectTo, decision: "declined" }, headers);
}

async function requireAllowed(
  { claims, refreshToken }: ProviderAnswer,
  oidc: OidcSettings,
  env: Env,
  clientId: string,
  pending: PendingSignIn,
): Promise<{ props: TokenProps; scopes: readonly Scope[]; groupsFault: string | undefined }> {
  const groups = groupsNamedIn(env);
  const identity = toIdentity(claims, oidc, groups);
  const groupsFault = findGroupsFault(claims, oidc, groups);
  const userId = await userIdOf(env, claims.iss, claims.sub);
  const props: TokenProps = {
    userId,
    via: "oidc",
    issuer: oidc.issuer,
    identity,
    ...upstreamOf(refreshToken),
    ...n8nKeysIn(pending),
  };
  const admission = admitCaller(props, env);
  if (admission !== undefined) return { props, scopes: admission.scopes, groupsFault };
  // Only the operator learns the reason, so that nobody can probe the lists.
  const isUnverified = claims.email !== undefined && identity.email === undefined;
  const hasNoGroups = groups.size > 0 && claims[oidc.groupsClaim] === undefined;
  const otherwise = hasNoGroups ? "groups_missing" : "not_allowed";
  const reason = groupsFault ?? (isUnverified ? "email_not_verified" : otherwise);
  logSignIn({ outcome: "refused", via: "oidc", userId, clientId, reason });
  throw new RequestRefused({
    status: 403,
    code: "access_denied",
    title: "Your account may not use this server",
    message: "You signed in, but this account is not allowed to use this server.",
    solution: `Ask whoever runs this server to allow your account, and give them this id: ${userId}. If you have another account, sign out at your organisation first.`,
  });
}

/** The configured provider changed during the sign-in. */
const OTHER_PROVIDER: Failure = {
  status: 400,
  code: "invalid_request",
  title: "This sign-in cannot continue",
  message: "The server's settings changed while you were signing in.",
  solution: "Go back to your app and connect again.",
};
