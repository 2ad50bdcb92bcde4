/** `/app`: the page for people. It calls tools through the same boundary as MCP clients, as the session's caller. */
import { HOME } from "../../pages/app/addresses.ts";
import type { Visitor } from "../../pages/app/page-request.ts";
import { showPage } from "../../pages/app/show-page.tsx";
import type { CallerProps } from "../caller.ts";
import { RequestRefused } from "../failure.ts";
import type { OAuthRequest } from "../oauth-roles.ts";
import {
  endAllSessions,
  endSessionOf,
  forgetSession,
  isOwnForm,
  type PageSession,
  readPageSession,
  scopesOf,
  switchData,
} from "./page-session.ts";
import { beginPageSignIn, ownPath } from "./sign-in-to-page.ts";

interface Call {
  readonly name: string;
  readonly args: unknown;
  readonly url: string;
  readonly gone: AbortSignal;
  readonly progress?: (message: string) => Promise<void>;
}

interface VerifiedCaller {
  readonly auth: PageSession["verified"] & { readonly token: string; readonly scope: string[] };
  readonly props: CallerProps;
}

/** The tools, as the page calls them for a verified caller. */
export interface PageTools {
  readonly call: (call: Call, env: Env, caller: VerifiedCaller) => ReturnType<Visitor["ask"]>;
  readonly instances: (env: Env, caller: VerifiedCaller) => readonly string[];
}

export async function servePage(route: OAuthRequest, tools: PageTools): Promise<Response> {
  const session = await readPageSession(route);
  if (session !== undefined) return await showPage(route.request, visitorOf(session, route, tools));
  if (isFromScript(route.request)) throw new RequestRefused(SIGN_IN_FIRST);
  return beginPageSignIn(route);
}

/** `POST /app/sign-out`: ends this session, or all of the person's. */
export async function signOut(route: OAuthRequest): Promise<Response> {
  const { session, form } = await requireOwnForm(route);
  if (session !== undefined) {
    if (form.get("everywhere") === "yes") await endAllSessions(session, route);
    else await endSessionOf(session.token, route);
  }
  const { publicUrl } = route.roles;
  const headers = new Headers({ Location: `${publicUrl}/`, "Cache-Control": "no-store" });
  forgetSession(headers, publicUrl);
  return new Response(null, { status: 303, headers });
}

/** `POST /app/data`: shows or hides payload, and returns to the page with the form. */
export async function switchDataOnOrOff(route: OAuthRequest): Promise<Response> {
  const { session, form } = await requireOwnForm(route);
  const { publicUrl } = route.roles;
  const back = ownPath(route.request.headers.get("Referer") ?? HOME, publicUrl);
  const headers = new Headers({ Location: publicUrl + back, "Cache-Control": "no-store" });
  if (session === undefined) throw new RequestRefused(NOT_SWITCHED);
  switchData(headers, session, session.mayReadData && form.get("data") === "on", publicUrl);
  return new Response(null, { status: 303, headers });
}

/** Without a session nothing can be changed. @throws RequestRefused for a form that this session's page did not send */
async function requireOwnForm(route: OAuthRequest) {
  const session = await readPageSession(route);
  const form = await route.request.formData().catch(() => new FormData());
  if (session === undefined || isOwnForm(session, form.get("token"))) return { session, form };
  throw new RequestRefused({
    status: 403,
    code: "access_denied",
    title: "This form is not of your session",
    message: "It was sent from somewhere else, or from a page of an earlier session.",
    solution: "Open /app and try again there.",
  });
}

function visitorOf(session: PageSession, { env, request }: OAuthRequest, tools: PageTools): Visitor {
  const { token, verified, mayReadData, showsData, formToken } = session;
  const caller = { auth: { ...verified, token, scope: [...scopesOf(session)] }, props: verified.props };
  const names = tools.instances(env, caller);
  return {
    async ask(name, args, progress) {
      const { url, signal: gone } = request;
      return await tools.call({ name, args, url, gone, ...(progress && { progress }) }, env, caller);
    },
    mayReadData,
    showsData,
    formToken,
    instances: names.length > 1 ? names : [],
  };
}

/** Fetch Metadata. A script would follow a redirect to the sign-in without noticing. */
const isFromScript = (request: Request): boolean =>
  !["navigate", null].includes(request.headers.get("Sec-Fetch-Mode"));

const SIGN_IN_FIRST = {
  status: 401,
  code: "invalid_token",
  title: "Sign in again",
  message: "Your session has ended.",
  solution: "Open /app to sign in.",
} as const;

const NOT_SWITCHED = {
  ...SIGN_IN_FIRST,
  message: "Your session had ended, so nothing was switched.",
  solution: "Open /app to sign in, and switch again there.",
};
