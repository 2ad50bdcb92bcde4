/**
 * Asks the provider again for a person's identity and groups when an app refreshes its token, which happens hourly
 * while the app is used. If the provider issued no refresh token, the identity stays as it is until the session ends.
 *
 * - The provider refuses, or names another person: the sign-in has ended.
 * - It does not answer, or wrongly: its last answer counts for two hours more, then no token is issued until it answers.
 * - Another request of the same grant is asking at this moment: no token is issued. A second use of the refresh token
 *   could end the sign-in, and a grant stored without the provider's new refresh token could never ask again.
 */
import { ResponseBodyError } from "oauth4webapi";
import { HOUR_MS, MINUTE_MS } from "../../platform/durations.ts";
import { groupsNamedIn, readOidcSettings } from "../../settings/index.ts";
import type { PersonProps } from "../caller.ts";
import { logLedgerFailed, logProviderSilent, logSignIn } from "../sign-in-log.ts";
import { type GrantKey, grantLedger } from "../tokens/grant-ledger.ts";
import { digestOf } from "../tokens/presented-token.ts";
import { exchangeRefreshToken } from "./exchange-code.ts";
import { toIdentity } from "./identity.ts";
import { toReason } from "./sign-in-fault.ts";
import { userIdOf } from "./user-ids.ts";

/** An app may refresh more often; the provider is not asked again sooner than this. */
const MIN_INTERVAL_MS = 30 * MINUTE_MS;
/** An access token lasts an hour, so the provider may be silent for two hours. */
export const CONFIRMATION_HOLDS_MS = 3 * HOUR_MS;

export const upstreamOf = (refreshToken: string | undefined): Pick<PersonProps, "upstream"> =>
  refreshToken === undefined ? {} : { upstream: { refreshToken, askedAt: Date.now() } };

type Postponement = "unavailable" | "asked_meanwhile";

/** @returns the person as the provider now describes them, or unchanged if it need not be asked yet */
export async function askAgain(
  props: PersonProps,
  env: Env,
  { clientId, ...grant }: GrantKey & { readonly clientId: string },
): Promise<PersonProps | "ended" | Postponement> {
  const { upstream, userId, issuer } = props;
  const oidc = readOidcSettings(env);
  if (upstream === undefined || oidc === undefined || oidc.issuer !== issuer) return props;
  // A time in the future was stored before the clock was set back.
  const age = Math.abs(Date.now() - upstream.askedAt);
  if (age < MIN_INTERVAL_MS) return props;
  const ledger = grantLedger(env, grant);
  const digest = digestOf(upstream.refreshToken);
  if (!(await ledger.once(async (object) => await object.beginUpstreamRefresh(digest))))
    return "asked_meanwhile";
  let refreshToken = upstream.refreshToken;
  try {
    const claims = await exchangeRefreshToken(refreshToken, oidc, (replacement) => {
      refreshToken = replacement;
    });
    if ((await userIdOf(env, claims.iss, claims.sub)) !== userId) return "ended";
    const identity = toIdentity(claims, oidc, groupsNamedIn(env));
    return { ...props, identity, ...upstreamOf(refreshToken) };
  } catch (error) {
    if (error instanceof ResponseBodyError && error.error === "invalid_grant") return "ended";
    const reason = toReason(error);
    if (reason === undefined) throw error;
    logProviderSilent(reason);
    if (age < CONFIRMATION_HOLDS_MS) return { ...props, upstream: { ...upstream, refreshToken } };
    logSignIn({ outcome: "refresh_refused", via: "oidc", userId, clientId, reason });
    return "unavailable";
  } finally {
    if (refreshToken === upstream.refreshToken)
      await ledger
        .repeatable(async (object) => await object.endUpstreamRefresh(digest))
        // The provider's answer counts all the same; the ledger forgets the use by itself.
        .catch(logLedgerFailed);
  }
}
