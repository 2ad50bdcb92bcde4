/**
 * Signs a person in to the page, by the same authorization code flow as an app (RFC 6749 §4.1, PKCE). State and code
 * verifier are kept in a cookie of this browser, so that a code that somebody else obtained is useless here.
 */
import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { Failure } from "../../pages/answer-failure.ts";
import { HOME } from "../../pages/app/addresses.ts";
import { RENEW } from "../../pages/page-sign-in.tsx";
import { parseJson } from "../../platform/parse-json.ts";
import { sha256Text } from "../../platform/sha256.ts";
import { RequestRefused } from "../failure.ts";
import type { OAuthRequest } from "../oauth-roles.ts";
import { serveToken } from "../tokens/serve-token.ts";
import { deleteCookie, readCookie, setCookie } from "./cookies.ts";
import { PAGE_CALLBACK_PATH, PAGE_CLIENT_ID } from "./page-client.ts";
import { endSessionOf, forgetSession, isOfProvider, keepSession } from "./page-session.ts";

/** As long as the OAuth library keeps a request that waits for consent. */
const SIGN_IN_SECONDS = 15 * 60;
/** A browser sends the cookies of all pending sign-ins, and proxies refuse headers above 8 kB. */
const MAXIMUM_RETURN_LENGTH = 1_000;

const pending = z.strictObject({ state: z.string(), verifier: z.string(), back: z.string() });
const issued = z.object({ access_token: z.string() });

/**
 * Redirects the browser to the sign-in, and back to the address of this request afterwards. The sign-in page renews an
 * expired session without a click if it was begun at a provider, which is thus asked again every hour.
 */
export function beginPageSignIn({ request, roles }: OAuthRequest): Response {
  const { publicUrl } = roles;
  const [state, verifier] = [randomText(), randomText()];
  const { pathname, search } = new URL(request.url);
  const waiting = JSON.stringify({ state, verifier, back: ownPath(pathname + search, publicUrl) });
  const url = new URL("/authorize", publicUrl);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: PAGE_CLIENT_ID,
    redirect_uri: publicUrl + PAGE_CALLBACK_PATH,
    code_challenge: sha256Text("base64url", verifier),
    code_challenge_method: "S256",
    resource: `${publicUrl}/mcp`,
    state,
  }).toString();
  const expired = readCookie(request, "session", publicUrl);
  if (expired !== undefined && isOfProvider(expired)) url.hash = RENEW;
  const headers = new Headers({ Location: url.href, "Cache-Control": "no-store" });
  // A browser must not renew twice by itself.
  if (expired !== undefined) forgetSession(headers, publicUrl);
  const value = Buffer.from(waiting).toString("base64url");
  setCookie(headers, signInCookie(state), value, { publicUrl, seconds: SIGN_IN_SECONDS });
  return new Response(null, { status: 302, headers });
}

/** Finishes the sign-in: starts a new session, ends the browser's previous one, and returns to the requested page. */
export async function finishPageSignIn(route: OAuthRequest): Promise<Response> {
  const { request, roles } = route;
  const { publicUrl } = roles;
  const { searchParams } = new URL(request.url);
  const state = searchParams.get("state") ?? "";
  const waiting = readPending(readCookie(request, signInCookie(state), publicUrl));
  if (waiting === undefined || state !== waiting.state) throw new RequestRefused(NOT_BEGUN);
  const headers = new Headers({ "Cache-Control": "no-store" });
  deleteCookie(headers, signInCookie(state), publicUrl);
  const code = searchParams.get("code");
  if (code === null) throw new RequestRefused(DECLINED);
  const token = await exchange(code, waiting.verifier, route);
  const previous = readCookie(request, "session", publicUrl);
  if (previous !== undefined && (await roles.validatePageToken(previous, route.env)) !== null)
    await endSessionOf(previous, route);
  keepSession(headers, token, publicUrl);
  headers.set("Location", publicUrl + ownPath(waiting.back, publicUrl));
  return new Response(null, { status: 303, headers });
}

/** Exchanges the code like an app does, so that the ledger records the grant. */
async function exchange(code: string, verifier: string, route: OAuthRequest): Promise<string> {
  const { publicUrl } = route.roles;
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: PAGE_CLIENT_ID,
    redirect_uri: publicUrl + PAGE_CALLBACK_PATH,
    code_verifier: verifier,
    resource: `${publicUrl}/mcp`,
    code,
  });
  const request = new Request(`${publicUrl}/token`, { method: "POST", body });
  const response = await serveToken({ ...route, request });
  const answer = issued.safeParse(await response.json());
  if (!response.ok || !answer.success) throw new RequestRefused(NOT_BEGUN);
  return answer.data.access_token;
}

/** One cookie per sign-in: people sign in in several tabs at once. */
const signInCookie = (state: string) => `sign-in-${state.slice(0, 8)}` as const;

function readPending(value: string | undefined): z.infer<typeof pending> | undefined {
  return pending.safeParse(parseJson(Buffer.from(value ?? "", "base64url").toString())).data;
}

/** Accepts only addresses of the page: a link must not lead elsewhere after sign-in. */
export function ownPath(path: string, publicUrl: string): string {
  const url = URL.parse(path, publicUrl);
  if (url === null || url.origin !== publicUrl || path.length > MAXIMUM_RETURN_LENGTH) return HOME;
  const isPage = url.pathname === HOME || url.pathname.startsWith(`${HOME}/`);
  return isPage && url.pathname !== PAGE_CALLBACK_PATH ? url.pathname + url.search : HOME;
}

/** 256 bits. */
const randomText = (): string => randomBytes(32).toString("base64url");

const NOT_BEGUN: Failure = {
  status: 400,
  code: "invalid_request",
  title: "This sign-in cannot continue",
  message: "It was not begun in this browser, or it took too long.",
  solution: "Open /app and sign in again.",
};

const DECLINED: Failure = {
  status: 403,
  code: "access_denied",
  title: "You are not signed in",
  message: "The sign-in was declined.",
  solution: "Open /app to sign in.",
};
