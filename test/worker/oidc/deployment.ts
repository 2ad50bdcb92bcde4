/**
 * The Worker as it is deployed with certain settings, which can change between two requests as they do when
 * somebody deploys anew; and what a person with a browser does at it and at the provider.
 */

import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { inject } from "vitest";
import worker from "../../../src/index.ts";
import { createRoleCache, type ProtectedHandler } from "../../../src/sign-in/oauth-roles.ts";
import {
  HOSTILE_CLIENT_ID,
  HOSTILE_CLIENT_SECRET,
  hostileIssuer,
  type Plan,
} from "../../support/hostile-plan.ts";
import { mcpPost, toolCall } from "../../support/mcp-post.ts";
import { HOST } from "../mcp-call.ts";
import { locationOf } from "../page/visitor.ts";
import { PUBLIC_URL } from "../secrets.ts";
import { Browser, destinationOf, handleOf, type Send } from "../sign-in/browser.ts";
import { authorizeUrl, exchangeCode, registeredClientId } from "../sign-in/client.ts";

export type Settings = Readonly<Record<string, string>>;

const ORGANISATION_ONLY = { ACCESS_PASSPHRASE: "", ALLOWED_EMAIL_DOMAINS: "example.com" };

export class Deployment {
  settings: Settings;

  constructor(settings: Settings) {
    this.settings = { ...ORGANISATION_ONLY, ...settings };
  }

  readonly send: Send = async (request) =>
    await worker.fetch(request, { ...env, ...this.settings }, createExecutionContext());

  /** Who a token stands for, as a tool would see it; the status when it is refused. */
  async whoIs(token: string): Promise<unknown> {
    const echo: ProtectedHandler = async (_request, _env, { props, auth }) =>
      Response.json({ props, scope: auth.scope });
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
  const call = toolCall("get_execution_details", { executionId: "1" });
  return deployment.send(new Request(`${PUBLIC_URL}/mcp`, mcpPost(token, call, HOST)));
}

/** The settings for the real provider, or for the one whose ID token says little. */
export function settingsFor(name: "realProvider" | "thinProvider"): Settings {
  const { issuer, clientId, clientSecret } = inject(name);
  return { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret };
}

/** The settings for a hostile provider that does as planned. */
export function hostileSettings(plan: Plan = {}): Settings {
  return {
    OIDC_ISSUER: hostileIssuer(inject("hostileProvider"), plan),
    OIDC_CLIENT_ID: HOSTILE_CLIENT_ID,
    OIDC_CLIENT_SECRET: HOSTILE_CLIENT_SECRET,
  };
}

/** Consents, and comes as far as the provider's address. */
export async function consentToProvider(
  deployment: Deployment,
  browser: Browser,
  fields: Record<string, string> = {},
): Promise<{ clientId: string; answer: Response }> {
  const clientId = await registeredClientId({}, deployment.send);
  const page = await browser.open(authorizeUrl(clientId));
  const handle = handleOf(await page.text());
  const answer = await browser.post({ handle, decision: "organisation", ...fields });
  return { clientId, answer };
}

/**
 * What a person does at the provider: signs in with this name, until they are sent back.
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

/** All the way from the client to our answer at the callback. */
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

/** Into the page for people. @returns the answer of the page's own callback, or of the provider's where it refused */
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

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

/** All the way to the tokens. */
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
