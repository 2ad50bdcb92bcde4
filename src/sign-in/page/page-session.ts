/**
 * A person's session on the page: an access token of this server in a cookie, checked in each request like an app's. So
 * it ends when it expires, its grant is revoked, the passphrase changes, or the person loses access.
 *
 * Payload is hidden until the person switches it on. The switch is a cookie derived from the token: it ends with the
 * session, and another site cannot set it. The token for forms is derived from it, too, and so needs no storage.
 */
import type { OAuthResourceTokenValidation } from "@cloudflare/workers-oauth-provider";
import type { CallerProps } from "../caller.ts";
import { type OAuthRequest, oauthOf } from "../oauth-roles.ts";
import { grantOwner, listKeys } from "../registration/purge-clients.ts";
import { sameSecret } from "../same-secret.ts";
import { logSignIn } from "../sign-in-log.ts";
import { endGrant, type GrantKey } from "../tokens/grant-ledger.ts";
import { digestOf, grantOf, viaOf } from "../tokens/presented-token.ts";
import { deleteCookie, readCookie, setCookie } from "./cookies.ts";
import { PAGE_CLIENT_ID, PAGE_SESSION_SECONDS } from "./page-client.ts";

const DATA_SCOPE = "n8n:data";

export interface PageSession {
  readonly token: string;
  readonly verified: OAuthResourceTokenValidation<CallerProps>;
  readonly mayReadData: boolean;
  readonly showsData: boolean;
  /** Required in each form that changes anything. */
  readonly formToken: string;
}

/** `undefined` if nobody is signed in. */
export async function readPageSession(route: OAuthRequest): Promise<PageSession | undefined> {
  const { request, env, roles } = route;
  const token = readCookie(request, "session", roles.publicUrl);
  const verified = token === undefined ? null : await roles.validatePageToken(token, env);
  if (token === undefined || verified === null) return undefined;
  const mayReadData = (verified.scope ?? []).includes(DATA_SCOPE);
  const isSwitchedOn = readCookie(request, "data", roles.publicUrl) === deriveFrom(token, "data");
  return {
    token,
    verified,
    mayReadData,
    showsData: mayReadData && isSwitchedOn,
    formToken: deriveFrom(token, "form"),
  };
}

export const scopesOf = ({ verified, showsData }: PageSession): readonly string[] =>
  (verified.scope ?? []).filter((scope) => showsData || scope !== DATA_SCOPE);

export const isOwnForm = ({ formToken }: PageSession, given: unknown): boolean =>
  typeof given === "string" && sameSecret(given, formToken);

export function keepSession(headers: Headers, token: string, publicUrl: string): void {
  setCookie(headers, "session", token, { publicUrl, seconds: PAGE_SESSION_SECONDS });
  deleteCookie(headers, "data", publicUrl);
}

export function switchData(headers: Headers, { token }: PageSession, isOn: boolean, publicUrl: string): void {
  const seconds = isOn ? PAGE_SESSION_SECONDS : 0;
  setCookie(headers, "data", isOn ? deriveFrom(token, "data") : "", { publicUrl, seconds });
}

export function forgetSession(headers: Headers, publicUrl: string): void {
  deleteCookie(headers, "session", publicUrl);
  deleteCookie(headers, "data", publicUrl);
}

export async function endSessionOf(token: string, route: OAuthRequest): Promise<void> {
  const grant = grantOf(token);
  if (grant !== undefined) await end(grant, route);
}

/** Ends all of a person's sessions on the page, in all browsers. Apps stay signed in. */
export async function endAllSessions({ token }: PageSession, route: OAuthRequest): Promise<void> {
  const grant = grantOf(token);
  if (grant === undefined) return;
  const { userId } = grant;
  await end(grant, route);
  const prefix = `grant:${userId}:`;
  // With the passphrase one user may have more grants than a request may read; the page's id fits into each key's metadata.
  for (const { name, metadata } of await listKeys(route.env.OAUTH_KV, prefix)) {
    const grantId = name.slice(prefix.length);
    const isOfPage = grantOwner.safeParse(metadata).data?.clientId === PAGE_CLIENT_ID;
    if (isOfPage && grantId !== grant.grantId) await end({ userId, grantId }, route);
  }
}

async function end(grant: GrantKey, route: OAuthRequest): Promise<void> {
  await endGrant(route.env, oauthOf(route), grant);
  const via = viaOf(grant.userId);
  logSignIn({ outcome: "revoked", via, ...grant, clientId: PAGE_CLIENT_ID, reason: "signed_out" });
}

/** Whether a session, even one that has ended, was begun at the identity provider. */
export function isOfProvider(token: string): boolean {
  const grant = grantOf(token);
  return grant !== undefined && viaOf(grant.userId) === "oidc";
}

const deriveFrom = (token: string, purpose: string): string => digestOf(`${purpose} ${token}`);
