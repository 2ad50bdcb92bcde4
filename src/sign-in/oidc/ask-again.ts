/**
 * Asks the provider anew who somebody is and in which groups, whenever an app refreshes its token: once an hour while it
 * is used. Only a provider that gave a refresh token can be asked; otherwise its word holds until the session ends.
 *
 * - The provider refuses, or names another person: the sign-in has ended.
 * - It does not answer, or wrongly: its last word holds for two hours more, then no token is issued until it answers.
 * - Another request of the same grant asks it at this moment: no token is issued. A second question could end the
 *   sign-in, and a grant written without the provider's new refresh token could never ask again.
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

/** Apps may refresh as often as they like; more than half an hour apart, they ask. */
const ASKED_EVERY_MS = 30 * MINUTE_MS;
/** An access token lasts an hour, so this is two hours of silence. */
export const CONFIRMATION_HOLDS_MS = 3 * HOUR_MS;

export const upstreamOf = (refreshToken: string | undefined): Pick<PersonProps, "upstream"> =>
  refreshToken === undefined ? {} : { upstream: { refreshToken, askedAt: Date.now() } };

/** Why no token can be issued yet. */
type Postponement = "unavailable" | "asked_meanwhile";

/** @returns the person as the provider now describes them, or as before while there is no need to ask */
export async function askAgain(
  props: PersonProps,
  env: Env,
  { clientId, ...grant }: GrantKey & { readonly clientId: string },
): Promise<PersonProps | "ended" | Postponement> {
  const { upstream, userId, issuer } = props;
  const oidc = readOidcSettings(env);
  if (upstream === undefined || oidc === undefined || oidc.issuer !== issuer) return props;
  // What seems to come from the future was asked before the clock was set back.
  const age = Math.abs(Date.now() - upstream.askedAt);
  if (age < ASKED_EVERY_MS) return props;
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
        // What the provider said holds all the same; the ledger forgets the use by itself.
        .catch(logLedgerFailed);
  }
}
