/**
 * `POST /token` (RFC 6749 §3.2): returns the OAuth library's answer only after the grant's ledger has accepted it. The
 * library checks everything first, so that a failed request spends nothing, and nobody can end a grant without a
 * complete, real code or token. Tokens that the ledger refuses are revoked before anyone has seen them.
 *
 * If a code is used twice, or a refresh token after its successor, one was stolen. The thief cannot be identified, so
 * the grant ends for both (RFC 6749 §4.1.2, RFC 9700 §4.14.2).
 */
import * as z from "zod";
import { jsonBodyOf } from "../../platform/parse-json.ts";
import { type OAuthRequest, oauthOf } from "../oauth-roles.ts";
import { logSignIn } from "../sign-in-log.ts";
import { endGrant, grantLedger } from "./grant-ledger.ts";
import { digestOf, type PresentedToken, readPresentedToken, viaOf } from "./presented-token.ts";

/** RFC 6749 §5.2. */
const errorAnswer = z.object({ error: z.string() });
/** The members of a successful answer (RFC 6749 §5.1) that are used here. The answer to a revocation is empty. */
const tokenAnswer = z.object({ access_token: z.string(), refresh_token: z.string() });

export async function serveToken({ request, env, ctx, roles }: OAuthRequest): Promise<Response> {
  const presented = await readPresentedToken(request);
  const response = await roles.authorizationServer.fetch(request, env, ctx);
  // `oidc/managed-authorization.ts` has recorded its use.
  if (presented === "assertion") return response;
  if (presented === undefined) return requireNoToken(response);
  if (presented.kind === "revocation") {
    await requireNoToken(response);
    if (response.ok) await endRevoked(env, presented);
    return response;
  }
  if (!(await isReplay(env, presented, response))) return response;
  await endGrant(env, oauthOf({ env, roles }), presented);
  logReplay(presented);
  return response.ok ? refuseReplay(response) : response;
}

/** Asks the ledger whether this is a replay. Call it once: the ledger would report a second call as a replay. */
async function isReplay(env: Env, presented: PresentedToken, response: Response): Promise<boolean> {
  const { kind, digest } = presented;
  const ledger = grantLedger(env, presented);
  if (!response.ok)
    return (
      (await isInvalidGrant(response)) &&
      (await ledger.once(async (object) => await object.recordRefusal(digest)))
    );
  const issued = digestOf(tokenAnswer.parse(await response.clone().json()).refresh_token);
  const record = kind === "code" ? "recordExchange" : "recordRefresh";
  return !(await ledger.once(async (object) => await object[record](digest, issued)));
}

/** The library deletes the grant only from KV, which may serve it for a while, so the ledger ends it, too. */
async function endRevoked(env: Env, { userId, grantId, digest }: PresentedToken): Promise<void> {
  if ((await env.OAUTH_KV.get(`grant:${userId}:${grantId}`)) !== null) return;
  const ledger = grantLedger(env, { userId, grantId });
  await ledger.once(async (object) => await object.recordRevocation(digest));
}

const isInvalidGrant = async (response: Response): Promise<boolean> =>
  errorAnswer.safeParse(await jsonBodyOf(response)).data?.error === "invalid_grant";

/** @throws Error if a token was issued although none could be read from the request: a bug */
async function requireNoToken(response: Response): Promise<Response> {
  if (response.ok && (await response.clone().text()).includes("access_token"))
    throw new Error("a token was issued that no ledger has recorded");
  return response;
}

function logReplay({ kind, userId, grantId }: PresentedToken): void {
  logSignIn({ outcome: "revoked", via: viaOf(userId), userId, grantId, reason: `${kind}_replayed` });
}

/** Keeps the library's headers: a client in a web page must be able to read it. */
function refuseReplay({ headers }: Response): Response {
  const kept = new Headers(headers);
  kept.delete("Content-Length");
  const body = { error: "invalid_grant", error_description: "It was used before. Sign in again." };
  return Response.json(body, { status: 400, headers: kept });
}
