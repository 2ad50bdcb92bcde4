/**
 * The Worker as deployed with certain settings, which may change between two requests as by a new deployment; and what
 * a user does with a browser at it and at the provider.
 */
import { createExecutionContext } from "cloudflare:test";
import { env, withEnv } from "cloudflare:workers";
import { inject, vi } from "vitest";
import * as z from "zod";
import worker from "../../../src/index.ts";
import { createRoleCache, type ProtectedHandler } from "../../../src/sign-in/oauth-roles.ts";
import {
  HOSTILE_CLIENT_ID,
  HOSTILE_CLIENT_SECRET,
  hostileIssuer,
  type Plan,
} from "../../support/hostile-plan.ts";
import { type McpMessage, mcpPost, toolCall } from "../../support/mcp-post.ts";
import { HOST } from "../mcp-call.ts";
import { locationOf } from "../page/visitor.ts";
import { PUBLIC_URL } from "../secrets.ts";
import { Browser, destinationOf, handleOf, type Send } from "../sign-in/browser.ts";
import { exchangeCode, openConsent, registeredClientId, type Tokens } from "../sign-in/client.ts";

export type Settings = Readonly<Record<string, string>>;

const ORGANISATION_ONLY = { ACCESS_PASSPHRASE: "", ALLOWED_EMAIL_DOMAINS: "example.com" };

export class Deployment {
  settings: Settings;

  constructor(settings: Settings) {
    this.settings = { ...ORGANISATION_ONLY, ...settings };
  }

  /** Tools read the Worker's settings, not those of the request, so both are set. */
  readonly send: Send = async (request) => {
    const settings = { ...env, ...this.settings };
    const answer = withEnv(settings, () => worker.fetch(request, settings, createExecutionContext()));
    return z.instanceof(Response).parse(await answer);
  };

  post(token: string, message: McpMessage, headers: Record<string, string> = {}): Promise<Response> {
    return this.send(new Request(`${PUBLIC_URL}/mcp`, mcpPost(token, message, { ...HOST, ...headers })));
  }

  /** Whom a token stands for, as a tool sees it, whichever the sign-in; the status if it is refused. */
  async whoIs(token: string): Promise<unknown> {
    const echo: ProtectedHandler = async (_request, _env, { props, auth }) =>
      Response.json({ props: { ...props, grantId: undefined }, scope: auth.scope });
    const { resourceServer } = createRoleCache(echo)(PUBLIC_URL);
    const request = new Request(`${PUBLIC_URL}/mcp`, { headers: { Authorization: `Bearer ${token}` } });
    const response = await resourceServer.fetch(
      request,
      { ...env, ...this.settings },
      createExecutionContext(),
    );
    return response.ok ? response.json() : response.status;
  }
}

/** Calls a tool that shows payload. */
export function callDataTool(deployment: Deployment, token: string): Promise<Response> {
  return deployment.post(token, toolCall("get_execution_details", { executionId: "1" }));
}

/** Sets the clock forward until mocks are restored. */
export function passTime(milliseconds: number): void {
  const now = Date.now() + milliseconds;
  vi.spyOn(Date, "now").mockImplementation(() => now);
}

/** Settings for the real provider, or for the one whose ID token contains little. */
export function settingsFor(name: "realProvider" | "thinProvider"): Settings {
  const { issuer, clientId, clientSecret } = inject(name);
  return { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret };
}

/** Settings for a hostile provider that behaves as planned. */
export function hostileSettings(plan: Plan = {}): Settings {
  return {
    OIDC_ISSUER: hostileIssuer(inject("hostileProvider"), plan),
    OIDC_CLIENT_ID: HOSTILE_CLIENT_ID,
    OIDC_CLIENT_SECRET: HOSTILE_CLIENT_SECRET,
  };
}

/** Consents, up to the provider's address. */
export async function consentToProvider(
  deployment: Deployment,
  browser: Browser,
  fields: Record<string, string> = {},
): Promise<{ clientId: string; answer: Response }> {
  const clientId = await registeredClientId({}, deployment.send);
  const handle = await openConsent(browser, clientId);
  const answer = await browser.post({ handle, decision: "organisation", ...fields });
  return { clientId, answer };
}

/**
 * Signs in at the provider with this name, until the provider redirects back.
 * @returns the address of our callback, with the provider's answer in it
 */
export async function signInAtProvider(start: URL, login: string): Promise<string> {
  const cookies = new Map<string, string>();
  let request = new Request(start);
  for (let hop = 0; hop < 10; hop++) {
    request.headers.set("Cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const { url } = request;
    const response = await fetch(request, { redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    await response.arrayBuffer();
    const location = response.headers.get("Location");
    if (location?.startsWith(PUBLIC_URL)) return location;
    if (location === null && response.status !== 200) throw new Error(`the provider said ${response.status}`);
    const decision = login === "" ? "cancel" : "login";
    request =
      location === null
        ? new Request(url, { method: "POST", body: new URLSearchParams({ login, decision }) })
        : new Request(new URL(location, url));
  }
  throw new Error("the provider sends in circles");
}

/** From the client to our answer at the callback. */
export async function signInAs(
  deployment: Deployment,
  login: string,
  fields: Record<string, string> = {},
): Promise<{ clientId: string; answer: Response; browser: Browser; callback: string }> {
  const browser = new Browser(deployment.send);
  const { clientId, answer } = await consentToProvider(deployment, browser, fields);
  const callback = await signInAtProvider(destinationOf(answer), login);
  return { clientId, answer: await browser.open(callback), browser, callback };
}

/** Signs in to the page for people. @returns the page's answer, or that of our callback if it refused */
export async function signInToPage(
  browser: Browser,
  login: string,
  from = `${PUBLIC_URL}/app`,
): Promise<Response> {
  const form = await browser.open(locationOf(await browser.open(from)));
  const handle = handleOf(await form.text());
  const answer = await browser.post({ handle, decision: "organisation", scope: "n8n:data" });
  const back = await browser.open(await signInAtProvider(destinationOf(answer), login));
  if (back.status >= 400) return back;
  return await browser.open(locationOf(back));
}

/** From the client to its tokens. */
export async function tokensOf(
  deployment: Deployment,
  login: string,
  fields: Record<string, string> = {},
): Promise<Tokens & { clientId: string }> {
  const { clientId, answer } = await signInAs(deployment, login, fields);
  const code = destinationOf(answer).searchParams.get("code") ?? "";
  const response = await exchangeCode(clientId, code, {}, deployment.send);
  return { clientId, ...(await response.json<Tokens>()) };
}

export function refresh(
  deployment: Deployment,
  { clientId, refresh_token }: { clientId: string; refresh_token: string },
): Promise<Response> {
  const body = new URLSearchParams({ grant_type: "refresh_token", client_id: clientId, refresh_token });
  return deployment.send(new Request(`${PUBLIC_URL}/token`, { method: "POST", body }));
}
